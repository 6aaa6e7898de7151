internal import RoostModel
internal import RoostService

/// What a push runs for each of its changes: looked up once for a transaction, and not by their text for each.
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

/// Where the records are that a transaction has looked at or written, so that a write need not look once more.
struct RecordPlaces {
    struct Place {
        let row: Int64
        let sequence: UInt64
    }

    private struct Name: Hashable {
        let key: RecordKey
        let scope: ScopeKey
    }

    /// Beyond so many all are forgotten: a record that is not known is looked up.
    private static let countMax = 100_000
    private static let fewMax = 10_000

    private var known: [Name: Place?] = [:]

    /// `nil` where that is not known, and a `nil` in it where there is no such record.
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
        // Four times as many at once: rehashing all of them at each doubling was a hundredth of a large push. With many, what is not used
        // of that would be megabytes.
        known.reserveCapacity(max(4, (known.count < Self.fewMax ? 4 : 2) * known.count))
    }
}
