internal import GRDB
internal import RoostMerge
internal import RoostModel

/// The pending changes: local changes that the server has not acknowledged yet.
final class Outbox {
    enum Slot { case put, delete }

    /// The result of removing a pending change.
    enum Forgotten {
        /// The change was not pending, or was written again.
        case nothing
        /// The change was removed, and another change of its record is pending.
        case change
        /// The change was removed with its entry, which held nothing else.
        case entry
    }

    /// The number of entries above which sealing streams the outbox. Settlement uses a small cache above as many marks.
    static let entriesAtOnce = 20_000

    private let database: Database
    /// The statements that remove whole entries. They are kept because a push has many changes.
    private var wholeQueries: [Slot: Query] = [:]
    private var stampsQuery: Query?

    init(database: Database) { self.database = database }

    /// The value of the base column for a change without a base.
    static let noBase = HybridTimestamp(time: 0, replica: .unregistered)

    /// The pending changes of one record.
    struct Entry {
        var key: RecordKey
        var put: Int64?
        var delete: Int64?
        /// The numbers of the first and last local transactions that changed the entry.
        var first: Int64
        var last: Int64
        var base: HybridTimestamp?

        /// Whether a transaction of the library has changed the entry, so that the changes written together are known
        /// (``StateStore/beginTransaction()``).
        var isOfLibrary: Bool { (first | last) & 1 == 1 }

        /// The numbers of the entry's first and last transactions, without those of other programs.
        var libraryTransactions: [Int64] { [first, last].filter { $0 & 1 == 1 } }

        /// Whether the entry is no change at all where its content equals the confirmed content.
        ///
        /// An undelete by the library is a change even then: it has to win over what other replicas have done meanwhile.
        var isUnchanged: Bool {
            guard let put else { return false }
            return delete.map { $0 < put && !isOfLibrary } ?? true
        }

        /// The pending changes in the order in which they were made.
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

    /// The pending changes of a record, as a settlement derives from them.
    struct Waiting {
        var key: RecordKey
        var put: Int64?
        var delete: Int64?
    }

    /// A record's pending changes with the stamps with which they are sent.
    typealias Restamped = (key: RecordKey, put: Int64?, delete: Int64?)

    /// Reads all pending changes, in the order in which they were written.
    func entries() throws -> [Entry] {
        try database.query(Self.entriesSQL).all { Entry($0) }.compactMap { $0 }
    }

    /// Whether there are more than `count` entries.
    func hasMore(than count: Int) throws -> Bool {
        try database.hasMore(than: count, in: "roost_outbox")
    }

    static let entriesSQL = """
        SELECT entity, id, put_stamp, del_stamp, first, txn, base FROM roost_outbox
        ORDER BY txn, max(coalesce(put_stamp, 0), coalesce(del_stamp, 0)), entity, id
        """

    /// Writes the stamps with which pending changes are sent.
    ///
    /// - Parameter waiting: The number of entries in the outbox; `nil` where there are few, or the connection has no
    ///   ``FinalStamps``.
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

    /// Marks a record's pending changes as unsettled, so that the next settlement derives from them again.
    func unsettle(_ key: RecordKey) throws {
        database.recordUnsettled()
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

    /// Marks all pending changes as unsettled. An entry that was folded from marks and awaits reconciliation keeps that state.
    func unsettleAll() throws {
        database.recordUnsettled()
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

    /// Whether a push that is sealed and not acknowledged may contain a change of a record. A record that is written again after
    /// sealing keeps the number of its first transaction.
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

    /// Replaces the pending changes of a record that has an entry.
    func set(_ waiting: Waiting) throws {
        try setStamps(waiting.key, put: waiting.put, delete: waiting.delete)
    }

    /// Removes a record's entry with all its pending changes.
    func forget(_ key: RecordKey) throws {
        let query = try database.query("DELETE FROM roost_outbox WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        try query.with(2, key.id) { try query.run() }
    }

    /// Removes entries whose identifier cannot be a record's.
    func forgetNameless() throws {
        try database.query("DELETE FROM roost_outbox WHERE \(database.identifiers.isNoIdentifier("id"))").run()
    }

    /// Removes one pending change. With `stamp`, removes it only if it still has that stamp: the record may have been written
    /// again since.
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

    /// Removes an entry that holds only this change, which is the most common case.
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

    /// Removes all entries, if their number is `count`.
    func forgetAll(_ count: Int) throws -> Bool {
        let query = try database.query("DELETE FROM roost_outbox WHERE (SELECT count(*) FROM roost_outbox) = ?")
        query.bind(1, count)
        try query.run()
        return database.changesCount > 0
    }

    /// Adds a pending change that sends a record's content, or its delete.
    ///
    /// - Parameter time: The clock reading of the change, greater than all before.
    func add(_ key: RecordKey, _ slot: Slot, time: UInt64) throws {
        database.recordUnsettled()
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

    /// Marks an entity's pending changes as unsettled: their rows may refer to other records than when they were settled.
    func unsettle(_ entity: EntityID) throws {
        database.recordUnsettled()
        let query = try database.query("UPDATE roost_outbox SET unsettled = 1 WHERE entity = ? AND unsettled = 0")
        query.bind(1, entity.rawValue)
        try query.run()
    }

    /// Adds the delete of a record whose row is lost, and removes its pending put. Without the row, the put cannot be sent, and
    /// the content cannot be compared with the fact.
    func addDeleteOfLostRow(_ key: RecordKey, time: UInt64, _ rows: RowStore) throws {
        try add(key, .delete, time: time)
        try set(Waiting(key: key, put: nil, delete: Int64(clamping: time)))
        try rows.recordIrregular(key)
    }

    /// Adds a pending change with the next reading of the replica's clock.
    ///
    /// - Parameter wall: Milliseconds since 1970.
    func addNow(_ key: RecordKey, _ slot: Slot, wall: UInt64) throws {
        let state = StateStore(database: database)
        var clock = try state.hybridClock
        try add(key, slot, time: clock.tick(wall: wall))
        try state.receive(clock.last)
    }

    /// Gives a pending change another stamp, if it still has the stamp given.
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

    /// Records that the server has the put on which a pending put is based. If nothing of the record was sealed since, no change
    /// of it is in flight any more.
    ///
    /// Changes that are sealed at one time were sealed together, with one put of a record. A delete with an earlier stamp than
    /// the pending put may have been sealed with it.
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

    /// Stores the base of a record's pending put, if one is pending.
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
    /// Reads an entry; `nil` where the row names no record.
    ///
    /// - Parameter row: A row of ``Outbox/entriesSQL``.
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
