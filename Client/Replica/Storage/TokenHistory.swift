internal import RoostModel

/// A scope and its server. A token is sent to no other server.
struct TokenScope: Hashable {
    let scope: String
    let server: String

    /// - Returns: `nil` for a replica that belongs to no scope, and for a scope or address that does not fit into a line.
    init?(scope: String?, server: String?) {
        guard let scope, let server, !scope.isEmpty, !server.isEmpty,
            !(scope + server).utf8.contains(where: { $0 <= UInt8(ascii: " ") })
        else { return nil }
        (self.scope, self.server) = (scope, server)
    }

    static func == (left: TokenScope, right: TokenScope) -> Bool {
        left.scope.utf8.elementsEqual(right.scope.utf8) && left.server.utf8.elementsEqual(right.server.utf8)
    }
}

/// The tokens that a replica has had, including the present ones, newest first. A server that is restored from a backup knows one
/// of them, and not the present one (protocol.md §6.2).
///
/// The token file stores them after the tokens of the replica, one in a line: `-REPLICA SCOPE USES SERVER TOKEN`. A program of an
/// earlier version skips such lines, because none begins with an identity. It drops them when it writes the file.
struct TokenHistory: Hashable {
    struct Line: Hashable {
        let replica: ReplicaID
        let place: TokenScope
        /// The number of times that a server has known this token and not the present one.
        var uses = 0
        /// The token, a secret.
        let token: String
    }

    /// The tokens in the order in which they were made, newest first. A server that knows a token as replaced also knows the
    /// token of that identity that replaced it, and the replacement comes first.
    private(set) var lines: [Line]

    /// The maximum number of tokens in a file.
    static let countMax = 64
    /// The number of newest tokens that are kept regardless of their use.
    static let newestKept = 8

    init(_ lines: [Line] = []) { self.lines = lines }

    /// Adds a token as the newest. A token that is already present keeps its position.
    mutating func add(_ entry: TokenFile.Entry, at place: TokenScope?) {
        guard let place, !lines.contains(where: { $0.token.utf8.elementsEqual(entry.token.utf8) }) else { return }
        lines.insert(Line(replica: entry.replica, place: place, token: entry.token), at: 0)
        while lines.count > Self.countMax { removeLeastUsed() }
    }

    /// Records that a server knew a token, and not the present one. It was restored from a backup, and may be again.
    mutating func recordUse(of token: String) {
        guard let index = lines.firstIndex(where: { $0.token.utf8.elementsEqual(token.utf8) }) else { return }
        lines[index].uses += 1
    }

    /// Moves a token to the front, so that it is tried first with a server.
    ///
    /// - Returns: Whether the order changed.
    mutating func putFirst(_ token: String) -> Bool {
        guard let index = lines.firstIndex(where: { $0.token.utf8.elementsEqual(token.utf8) }), index > 0 else {
            return false
        }
        lines.insert(lines.remove(at: index), at: 0)
        return true
    }

    /// Returns the tokens that were made for a scope and server, newest first.
    func tokens(at place: TokenScope) -> [String] { lines.filter { $0.place == place }.map(\.token) }

    /// Removes the oldest of the least used tokens, except the newest ``newestKept``.
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

    /// Decodes a line of the history.
    ///
    /// - Returns: `nil` for any other line.
    init?(_ text: String) {
        let words = text.parts(at: " ", cutsMax: 4)
        guard words.count == 5, words[0].utf8.first == Self.mark,
            let replica = ReplicaID(String(words[0].dropFirst())), let uses = Int(words[2]), uses >= 0,
            let place = TokenScope(scope: words[1], server: words[3])
        else { return nil }
        self.init(replica: replica, place: place, uses: min(uses, Int(Int32.max)), token: words[4])
    }

    var text: String { "-\(replica) \(place.scope) \(uses) \(place.server) \(token)" }
}
