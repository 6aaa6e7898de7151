internal import RoostModel

/// A server and a scope on it. A token is shown to no other.
struct TokenPlace: Hashable {
    let scope: String
    let server: String

    /// - Returns: `nil` for a replica that belongs to no scope, and for an address that does not fit into a line.
    init?(scope: String?, server: String?) {
        guard let scope, let server, !scope.isEmpty, !server.isEmpty,
            !(scope + server).utf8.contains(where: { $0 <= UInt8(ascii: " ") })
        else { return nil }
        (self.scope, self.server) = (scope, server)
    }

    static func == (left: TokenPlace, right: TokenPlace) -> Bool {
        left.scope.utf8.elementsEqual(right.scope.utf8) && left.server.utf8.elementsEqual(right.server.utf8)
    }
}

/// The tokens that a replica has had, its present ones among them, newest first: a server that is restored from a backup knows one of
/// them, and not the present one (protocol.md §6.2).
///
/// They stand in the token file after those of the replica, a line each: `-REPLICA SCOPE USES SERVER TOKEN`. A program of an earlier
/// version passes such lines over, since none begins with an identity, and drops them when it writes the file.
struct TokenHistory: Hashable {
    struct Line: Hashable {
        let replica: ReplicaID
        let place: TokenPlace
        /// How often a server has known this one and not the present one.
        var uses = 0
        /// A secret.
        let token: String
    }

    /// In the order in which the tokens were made, newest first. Of one identity a server that knows a token as replaced knows the one that
    /// replaced it too, and that comes first.
    private(set) var lines: [Line]

    /// How many tokens a file keeps.
    static let countMax = 64
    /// So many of the newest ones are kept whatever they were used for.
    static let newestKept = 8

    init(_ lines: [Line] = []) { self.lines = lines }

    /// Adds a token as the newest; one that is there already stays where it is.
    mutating func add(_ entry: TokenFile.Entry, at place: TokenPlace?) {
        guard let place, !lines.contains(where: { $0.token.utf8.elementsEqual(entry.token.utf8) }) else { return }
        lines.insert(Line(replica: entry.replica, place: place, token: entry.token), at: 0)
        while lines.count > Self.countMax { removeLeastUsed() }
    }

    /// Notes that a server knew a token, and not the present one: it was restored from a backup, and may be again.
    mutating func noteUse(of token: String) {
        guard let index = lines.firstIndex(where: { $0.token.utf8.elementsEqual(token.utf8) }) else { return }
        lines[index].uses += 1
    }

    /// Makes a token the one that a server is asked for first.
    ///
    /// - Returns: Whether it was not.
    mutating func putFirst(_ token: String) -> Bool {
        guard let index = lines.firstIndex(where: { $0.token.utf8.elementsEqual(token.utf8) }), index > 0 else {
            return false
        }
        lines.insert(lines.remove(at: index), at: 0)
        return true
    }

    /// The tokens that were made for a place, newest first.
    func tokens(at place: TokenPlace) -> [String] { lines.filter { $0.place == place }.map(\.token) }

    /// Removes the oldest of those that were used least.
    private mutating func removeLeastUsed() {
        let older = lines.indices.dropFirst(Self.newestKept)
        guard let least = older.map({ lines[$0].uses }).min(),
            let index = older.last(where: { lines[$0].uses == least })
        else { return }
        lines.remove(at: index)
    }
}

extension TokenHistory.Line {
    static let mark = UInt8(ascii: "-")

    /// - Returns: `nil` for anything that is no such line.
    init?(_ text: String) {
        let words = text.parts(at: " ", cutsMax: 4)
        guard words.count == 5, words[0].utf8.first == Self.mark,
            let replica = ReplicaID(String(words[0].dropFirst())), let uses = Int(words[2]), uses >= 0,
            let place = TokenPlace(scope: words[1], server: words[3])
        else { return nil }
        self.init(replica: replica, place: place, uses: min(uses, Int(Int32.max)), token: words[4])
    }

    var text: String { "-\(replica) \(place.scope) \(uses) \(place.server) \(token)" }
}
