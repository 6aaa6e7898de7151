internal import GRDB
internal import RoostModel
internal import RoostSQLite

/// What a connection has read of `roost_state` and need not read again while no other connection commits.
///
/// Each value that is looked up by its name costs as much as a record, and a session looks up some ten of them with each page and each
/// reply. Whatever is set on the connection itself is set here too; whatever is taken back takes all of this with it.
///
/// Unchecked: see `ConnectionPlace`.
final class StateCache: @unchecked Sendable {
    private static let connectionPlace = ConnectionPlace<StateCache>()

    /// What others had committed when ``values`` were read.
    private var commits: ForeignCommits?
    /// For each set of names that was asked for, its values.
    private var values: [(names: StateSnapshot.Names, values: [[UInt8]?])] = []

    /// Gives the one connection that is opened with `configuration` a place for this.
    static func keep(in configuration: inout Configuration) { connectionPlace.keep(StateCache(), in: &configuration) }

    /// The values of these names; `read` only where they are not known. A connection that has no place for them reads them each time.
    static func values(
        of names: StateSnapshot.Names, on database: Database, _ read: () throws -> [[UInt8]?]
    ) throws -> [[UInt8]?] {
        guard let kept = connectionPlace.kept(by: database) else { return try read() }
        // Asked first: what is committed between the two is then found by the next one who asks.
        let commits = try database.foreignCommits()
        if kept.commits != commits {
            kept.values = []
            kept.commits = commits
        }
        if let known = kept.values.first(where: { $0.names === names })?.values {
            // A file that cannot be read says so wherever it is read next.
            assert((try? read()).map { $0 == known } ?? true)
            return known
        }
        let found = try read()
        kept.values.append((names, found))
        return found
    }

    /// A value was set on the connection.
    static func note(_ name: StateStore.Name, _ value: Value, on database: Database) {
        guard let kept = connectionPlace.kept(by: database) else { return }
        // Of a fraction nobody but SQLite knows what bytes it makes.
        if case .real = value { return forget(on: database) }
        for index in kept.values.indices {
            guard let place = kept.values[index].names.place(of: name) else { continue }
            kept.values[index].values[place] = value.stateBytes
        }
    }

    /// What was read may not be so any more.
    static func forget(on database: Database) { connectionPlace.kept(by: database)?.values = [] }
}

extension Value {
    /// The bytes that SQLite makes of it, but for a fraction; `nil` for none.
    fileprivate var stateBytes: [UInt8]? {
        switch self {
        case .null, .real: nil
        case .text(let text): Array(text.utf8)
        case .integer(let number): Array(String(number).utf8)
        case .boolean(let flag): [UInt8(ascii: flag ? "1" : "0")]
        case .bytes(let bytes): bytes
        }
    }
}
