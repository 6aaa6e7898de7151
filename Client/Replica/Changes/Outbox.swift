internal import GRDB
internal import RoostMerge
internal import RoostModel

/// The local changes not yet acknowledged.
final class Outbox {
    enum Slot { case put, delete }

    /// What was taken out of the outbox.
    enum Forgotten {
        /// The change did not wait, or was written again.
        case nothing
        /// More of its record waits.
        case change
        /// All that waited of its record.
        case entry
    }

    /// More entries than this are settled and sealed one after the other.
    static let entriesAtOnce = 20_000

    private let database: Database
    /// Prepared with the first of each: a push has many.
    private var wholeQueries: [Slot: Query] = [:]
    private var stampsQuery: Query?

    init(database: Database) { self.database = database }

    /// Stands in the base column for a change that was made from nothing.
    static let noBase = HybridTimestamp(time: 0, replica: .unregistered)

    /// One record's waiting changes.
    struct Entry {
        var key: RecordKey
        var put: Int64?
        var delete: Int64?
        /// The first and last local transactions that touched it.
        var first: Int64
        var last: Int64
        var base: HybridTimestamp?

        /// Whether a transaction of the library has touched it: what was written together is known (``StateStore/beginTransaction()``).
        var isOfLibrary: Bool { (first | last) & 1 == 1 }

        /// The numbers of its first and last transaction, where those are the library's.
        var libraryTransactions: [Int64] { [first, last].filter { $0 & 1 == 1 } }

        /// Whether nothing has changed where the content is what is confirmed. Whoever has undeleted a record by the library wants it to stand
        /// against what others have done meanwhile.
        var isUnchanged: Bool {
            guard let put else { return false }
            return delete.map { $0 < put && !isOfLibrary } ?? true
        }

        /// Its waiting changes in the order in which they were made.
        var slots: [(slot: Slot, time: UInt64)] {
            switch (put.map { UInt64(clamping: $0) }, delete.map { UInt64(clamping: $0) }) {
            case (nil, nil): []
            case (let put?, nil): [(.put, put)]
            case (nil, let delete?): [(.delete, delete)]
            case (let put?, let delete?) where put <= delete: [(.put, put), (.delete, delete)]
            case (let put?, let delete?): [(.delete, delete), (.put, put)]
            }
        }
    }

    /// What waits of a record from which something may follow.
    struct Waiting {
        var key: RecordKey
        var put: Int64?
        var delete: Int64?
    }

    /// A record's waiting changes with the stamps that they are sent with.
    typealias Restamped = (key: RecordKey, put: Int64?, delete: Int64?)

    /// Everything that waits, in the order in which it was written.
    func entries() throws -> [Entry] {
        try database.query(Self.entriesSQL).all { Entry($0) }.compactMap { $0 }
    }

    /// Whether there are more entries than this.
    func hasMore(than count: Int) throws -> Bool {
        try database.hasMore(than: count, in: "roost_outbox")
    }

    static let entriesSQL = """
        SELECT entity, id, put_stamp, del_stamp, first, txn, base FROM roost_outbox
        ORDER BY txn, max(coalesce(put_stamp, 0), coalesce(del_stamp, 0)), entity, id
        """

    /// Gives waiting changes the stamps that they are sent with.
    ///
    /// - Parameter waiting: How many entries there are; `nil` where there are few, or the connection has no ``FinalStamps``.
    func setStamps(_ entries: [Restamped], of waiting: Int?) throws {
        let puts = entries.compactMap { entry in entry.delete == nil ? entry.put.map { (entry.key, $0) } : nil }
        let isWritten =
            try waiting.map {
                try FinalStamps.isFaster(for: puts.count, of: $0) && FinalStamps(database).write(puts) == puts.count
            }
            ?? false
        for entry in entries where !isWritten || entry.put == nil || entry.delete != nil {
            try setStamps(entry.key, put: entry.put, delete: entry.delete)
        }
    }

    private func setStamps(_ key: RecordKey, put: Int64?, delete: Int64?) throws {
        let query =
            try stampsQuery
            ?? database.query("UPDATE roost_outbox SET put_stamp = ?, del_stamp = ? WHERE entity = ? AND id = ?")
        stampsQuery = query
        query.bind(1, put) { query.bind($0, $1) }
        query.bind(2, delete) { query.bind($0, $1) }
        query.bind(3, key.entity.rawValue)
        try query.with(4, key.id) { try query.run() }
    }

    /// Lets what follows from a record's changes be derived anew.
    func unsettle(_ key: RecordKey) throws {
        database.noteUnsettled()
        let query = try database.query(
            "UPDATE roost_outbox SET unsettled = max(unsettled, 1) WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        try query.run()
    }

    /// Marks a record's changes as settled.
    func settle(_ key: RecordKey) throws {
        let query = try database.query("UPDATE roost_outbox SET unsettled = 0 WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        try query.run()
    }

    /// Marks all pending changes as unsettled, and keeps those that only marks vouch for.
    func unsettleAll() throws {
        database.noteUnsettled()
        try database.query("UPDATE roost_outbox SET unsettled = max(unsettled, 1)").run()
    }

    /// Whether a transaction of the library wrote a record's pending changes first or last; `true` where none is pending.
    func isOfLibrary(_ key: RecordKey) throws -> Bool { try isOdd("first | txn", key) }

    /// Whether a transaction of the library wrote a record last; `true` where no change is pending.
    func isLastOfLibrary(_ key: RecordKey) throws -> Bool { try isOdd("txn", key) }

    private func isOdd(_ transactions: String, _ key: RecordKey) throws -> Bool {
        let query = try database.query("SELECT (\(transactions)) & 1 FROM roost_outbox WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        return try query.first { $0.integer(0) != 0 } ?? true
    }

    /// Whether a push that is sealed and not acknowledged may contain a change of a record. A record that is written again meanwhile keeps
    /// the number of its first transaction.
    func isUnderWay(_ key: RecordKey) throws -> Bool {
        guard try !database.isEmpty("roost_push") else { return false }
        let query = try database.query(
            """
            SELECT o.first < c.sealed FROM roost_outbox AS o CROSS JOIN roost_control AS c WHERE o.entity = ? AND o.id = ?
            """)
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        return try query.first { $0.integer(0) != 0 } ?? false
    }

    /// Whether a push that is sealed and not acknowledged may contain a change of any record of an entity.
    func isAnyUnderWay(_ entity: EntityID) throws -> Bool {
        guard try !database.isEmpty("roost_push") else { return false }
        let query = try database.query(
            """
            SELECT EXISTS (SELECT 1 FROM roost_outbox AS o CROSS JOIN roost_control AS c WHERE o.entity = ? AND o.first < c.sealed)
            """)
        query.bind(1, entity.rawValue)
        return try query.first { $0.integer(0) != 0 } ?? false
    }

    /// Writes what waits of a record that has an entry.
    func set(_ waiting: Waiting) throws {
        try setStamps(waiting.key, put: waiting.put, delete: waiting.delete)
    }

    /// Removes a record's entry, whatever waits of it.
    func forget(_ key: RecordKey) throws {
        let query = try database.query("DELETE FROM roost_outbox WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        try query.with(2, key.id) { try query.run() }
    }

    /// Removes entries whose identifier is no record's.
    func forgetNameless() throws {
        try database.query("DELETE FROM roost_outbox WHERE typeof(id) <> 'blob' OR length(id) <> 16").run()
    }

    /// Takes one waiting change out; with `stamp`, only if it is still that one: it may have been written again since.
    @discardableResult
    func forget(_ key: RecordKey, _ slot: Slot, stamp: UInt64? = nil) throws -> Forgotten {
        if let stamp, try forgetWhole(key, slot, stamp) { return .entry }
        let column = slot == .put ? "put_stamp" : "del_stamp"
        let query = try database.query(
            """
            UPDATE roost_outbox SET \(column) = NULL, first = txn\(slot == .put ? ", base = NULL" : "")
            WHERE entity = ?1 AND id = ?2 AND (?3 IS NULL OR \(column) = ?3)
            """)
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        query.bind(3, stamp) { query.bind($0, $1) }
        try query.run()
        guard database.changesCount > 0 else { return .nothing }
        let clean = try database.query(
            "DELETE FROM roost_outbox WHERE entity = ? AND id = ? AND put_stamp IS NULL AND del_stamp IS NULL")
        clean.bind(1, key.entity.rawValue)
        clean.bind(2, key.id)
        try clean.run()
        return database.changesCount > 0 ? .entry : .change
    }

    /// Takes an entry out that holds nothing but this change: the most common.
    private func forgetWhole(_ key: RecordKey, _ slot: Slot, _ stamp: UInt64) throws -> Bool {
        let slots = slot == .put ? "put_stamp = ? AND del_stamp IS NULL" : "del_stamp = ? AND put_stamp IS NULL"
        let query =
            try wholeQueries[slot]
            ?? database.query("DELETE FROM roost_outbox WHERE entity = ? AND id = ? AND \(slots)")
        wholeQueries[slot] = query
        query.bind(1, key.entity.rawValue)
        query.bind(3, stamp)
        try query.with(2, key.id) { try query.run() }
        return database.changesCount > 0
    }

    /// Takes out everything, if it is so many entries.
    func forgetAll(_ count: Int) throws -> Bool {
        let query = try database.query("DELETE FROM roost_outbox WHERE (SELECT count(*) FROM roost_outbox) = ?")
        query.bind(1, count)
        try query.run()
        return database.changesCount > 0
    }

    /// Has a record's content, or its delete, sent as a local change that is written now.
    ///
    /// - Parameter time: Its clock reading, greater than all before.
    func add(_ key: RecordKey, _ slot: Slot, time: UInt64) throws {
        database.noteUnsettled()
        let column = slot == .put ? "put_stamp" : "del_stamp"
        let query = try database.query(
            """
            INSERT INTO roost_outbox(entity, id, \(column), first, txn, unsettled)
              SELECT ?1, ?2, ?3, txn, txn, 1 FROM roost_control WHERE true
              ON CONFLICT(entity, id) DO UPDATE SET \(column) = excluded.\(column), txn = excluded.txn, unsettled = 1
            """)
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        query.bind(3, time)
        try query.run()
    }

    /// Has what follows from an entity's waiting changes be settled again: their rows may refer to others than when it was.
    func unsettle(_ entity: EntityID) throws {
        database.noteUnsettled()
        let query = try database.query("UPDATE roost_outbox SET unsettled = 1 WHERE entity = ? AND unsettled = 0")
        query.bind(1, entity.rawValue)
        try query.run()
    }

    /// Adds the delete of a record whose row is lost, and removes its pending put: neither can that be sent, nor the content be compared
    /// with the fact.
    func addDeleteOfLostRow(_ key: RecordKey, time: UInt64, _ rows: RowStore) throws {
        try add(key, .delete, time: time)
        try set(Waiting(key: key, put: nil, delete: Int64(clamping: time)))
        try rows.noteIrregular(key)
    }

    /// The same with the next reading of the replica's clock.
    ///
    /// - Parameter wall: Milliseconds since 1970.
    func addNow(_ key: RecordKey, _ slot: Slot, wall: UInt64) throws {
        let state = StateStore(database: database)
        var clock = try state.hybridClock
        try add(key, slot, time: clock.tick(wall: wall))
        try state.receive(clock.last)
    }

    /// Gives a waiting change another stamp, if it is still the one of that stamp.
    func restamp(_ key: RecordKey, _ slot: Slot, _ stamp: UInt64, as time: UInt64) throws {
        let column = slot == .put ? "put_stamp" : "del_stamp"
        let query = try database.query(
            "UPDATE roost_outbox SET \(column) = ? WHERE entity = ? AND id = ? AND \(column) = ?")
        query.bind(1, time)
        query.bind(2, key.entity.rawValue)
        query.bind(3, key.id)
        query.bind(4, stamp)
        try query.run()
    }

    /// Writes down that the server has the put which a waiting put was made from, and that none of the record is under way any more if
    /// nothing of it was sealed since. All that is sealed at a time was sealed together, with one put of a record; a delete of an earlier
    /// stamp than the waiting put may have been sealed with it.
    func setStored(_ base: HybridTimestamp, of key: RecordKey) throws {
        let query = try database.query(
            """
            UPDATE roost_outbox SET base = ?,
              first = CASE WHEN coalesce(del_stamp > put_stamp, 1) AND txn >= (SELECT sealed FROM roost_control) THEN txn
                ELSE first END
            WHERE entity = ? AND id = ? AND put_stamp IS NOT NULL
            """)
        query.bind(1, base)
        query.bind(2, key.entity.rawValue)
        query.bind(3, key.id)
        try query.run()
    }

    /// Writes down what a waiting put was made from, where one waits.
    func setBase(_ base: HybridTimestamp, of key: RecordKey) throws {
        let query = try database.query(
            "UPDATE roost_outbox SET base = ? WHERE entity = ? AND id = ? AND put_stamp IS NOT NULL")
        query.bind(1, base)
        query.bind(2, key.entity.rawValue)
        query.bind(3, key.id)
        try query.run()
    }
}

extension Outbox.Entry {
    /// - Parameter row: Of ``Outbox/entriesSQL``; `nil` where it names no record.
    init?(_ row: Query) {
        guard let key = row.key(0) else { return nil }
        self.key = key
        put = row.optionalInteger(2)
        delete = row.optionalInteger(3)
        first = row.integer(4)
        last = row.integer(5)
        base = row.stamp(6)
    }
}
