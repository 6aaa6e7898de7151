internal import RoostModel
internal import RoostService

/// The statements that a push runs for each of its changes. They are looked up once for a transaction, and not by their
/// text for each change.
struct RecordStatements {
    let select, insert, update: SQLiteStatement

    init(of transaction: SQLiteTransaction) throws {
        select = try transaction.statement(
            "SELECT row, sequence, author, message FROM record WHERE scope = ? AND entity = ? AND id = ?")
        insert = try transaction.statement(
            "INSERT INTO record(scope, entity, id, sequence, author, message) VALUES(?, ?, ?, ?, ?, ?)")
        update = try transaction.statement("UPDATE record SET sequence = ?2, author = ?3, message = ?4 WHERE row = ?1")
    }
}

/// The locations of records that a transaction has read or written, so that a write needs no second query.
struct RecordLocations {
    struct Place {
        let row: Int64
        let sequence: UInt64
    }

    private struct Name: Hashable {
        let key: RecordKey
        let scope: ScopeKey
    }

    /// The number of cached locations at which all are discarded. A record that is not cached is queried.
    private static let countMax = 100_000
    private static let fewMax = 10_000

    private var known: [Name: Place?] = [:]

    /// The cached location: `nil` if none is cached, and an inner `nil` if the record does not exist.
    subscript(key: RecordKey, in scope: ScopeKey) -> Place?? {
        get { known[Name(key: key, scope: scope)] }
        set {
            if known.count == known.capacity { makeRoom() }
            known[Name(key: key, scope: scope)] = newValue
        }
    }

    mutating func forget() { known.removeAll() }

    private mutating func makeRoom() {
        guard known.count < Self.countMax else { return forget() }
        // The capacity of few entries grows fourfold: rehashing at each doubling took a hundredth of the time of a large
        // push. The capacity of many entries doubles, because unused capacity would take megabytes.
        known.reserveCapacity(max(4, (known.count < Self.fewMax ? 4 : 2) * known.count))
    }
}
