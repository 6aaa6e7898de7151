internal import GRDB
internal import RoostModel

/// The slots in effect on this replica: the confirmed slots merged with the pending changes.
final class EffectiveStamps {
    let database: Database
    let replica: ReplicaID

    /// The statements, each looked up with the first record that needs it.
    private var confirmedQuery: Query?
    private var pendingQuery: Query?
    private var writeQuery: Query?
    private var joinQuery: Query?
    private var joinsQuery: Query?
    private var updateQuery: Query?
    /// The marks that are not in the outbox yet, by record.
    private let marks: [RecordKey: [Marks.Mark]]

    /// The records with a mark that is not in the outbox yet.
    var marked: Set<RecordKey> { Set(marks.keys) }

    /// Makes the slots without marks, for a caller that has folded the marks into the outbox (``Settlement``).
    init(database: Database, replica: ReplicaID) {
        self.database = database
        self.replica = replica
        marks = [:]
    }

    /// Makes the slots including marks, for a reader of a file in which marks of other programs may not be in the outbox yet.
    init(readingMarks database: Database, replica: ReplicaID) throws {
        self.database = database
        self.replica = replica
        marks = try Marks(database: database).waiting()
    }

    /// The pending changes of one record.
    struct Pending: Hashable {
        var put: HybridTimestamp?
        var delete: HybridTimestamp?
    }

    func of(_ key: RecordKey) throws -> (put: HybridTimestamp?, delete: HybridTimestamp?) {
        let confirmed = try confirmed(key)
        let pending = try pending(key)
        return (later(confirmed.put?.stamp, pending.put), later(confirmed.delete, pending.delete))
    }

    func own(_ key: RecordKey) throws -> OwnState {
        let (put, delete) = try of(key)
        return OwnState(put: put, delete: delete)
    }

    /// Returns the own state of a record, by its confirmed slots and the times of its pending changes.
    func own(_ confirmed: SlotStamps, _ put: Int64?, _ delete: Int64?) -> OwnState {
        OwnState(put: later(confirmed.put?.stamp, stamp(put)), delete: later(confirmed.delete, stamp(delete)))
    }

    func confirmed(_ key: RecordKey) throws -> SlotStamps {
        let query = try kept(
            &confirmedQuery, "SELECT put_stamp, hash, del_stamp FROM roost_fact WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        return try query.with(2, key.id) {
            try query.first { SlotStamps(putStamp: $0.stamp(0), hash: $0.hash(1), delete: $0.stamp(2)) }
        } ?? SlotStamps()
    }

    func pending(_ key: RecordKey) throws -> Pending {
        let query = try kept(
            &pendingQuery, "SELECT put_stamp, del_stamp FROM roost_outbox WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        var (put, delete): (Int64?, Int64?) =
            try query.with(2, key.id) { try query.first { ($0.optionalInteger(0), $0.optionalInteger(1)) } } ?? (
                nil, nil
            )
        for mark in marks[key] ?? [] { mark.join(into: &put, &delete) }
        return Pending(put: stamp(put), delete: stamp(delete))
    }

    private func kept(_ query: inout Query?, _ sql: String) throws -> Query {
        if let query { return query }
        let found = try database.query(sql)
        query = found
        return found
    }

    private func writeConfirmed(_ slots: SlotStamps, of key: RecordKey) throws {
        let query = try kept(
            &writeQuery,
            """
            INSERT INTO roost_fact(entity, id, put_stamp, hash, del_stamp) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT(entity, id) DO UPDATE SET
              put_stamp = excluded.put_stamp, hash = excluded.hash, del_stamp = excluded.del_stamp
            """)
        try withBound(query, slots, of: key) { try query.run() }
    }

    /// Writes the confirmed slots of a record that has some already. The row is searched only once.
    private func updateConfirmed(_ slots: SlotStamps, of key: RecordKey) throws {
        let query = try kept(
            &updateQuery,
            """
            UPDATE roost_fact SET put_stamp = ?3, hash = ?4, del_stamp = ?5 WHERE entity = ?1 AND id = ?2
            """)
        try withBound(query, slots, of: key) { try query.run() }
    }

    /// Merges slots into the confirmed slots of a record, which may have none. The greater of each slot wins.
    ///
    /// - Returns: The confirmed slots as they were, and as they are now.
    func joinConfirmed(_ slots: SlotStamps, of key: RecordKey) throws -> (before: SlotStamps, after: SlotStamps) {
        guard slots != SlotStamps() else {
            let confirmed = try confirmed(key)
            return (confirmed, confirmed)
        }
        var join = ConfirmedJoin(slots, of: key)
        let query = try kept(&joinQuery, ConfirmedJoin.sql)
        try withUnsafeMutablePointer(to: &join) {
            try ConfirmedJoin.run(query, UnsafeMutableBufferPointer(start: $0, count: 1))
        }
        if join.isMixed { try updateConfirmed(join.after, of: key) }
        return (join.before, join.after)
    }

    /// Merges slots into the confirmed slots of ``ConfirmedJoin/batch`` records at once.
    ///
    /// - Parameter joins: One for each record, with at least one incoming slot each, in strictly ascending order of keys.
    func joinConfirmed(_ joins: inout [ConfirmedJoin]) throws {
        let query = try kept(&joinsQuery, ConfirmedJoin.batchSQL)
        try joins.withUnsafeMutableBufferPointer { try ConfirmedJoin.run(query, $0) }
        for join in joins where join.isMixed { try updateConfirmed(join.after, of: join.key) }
    }

    /// Replaces the confirmed slots of a record. Both arguments may be empty.
    func replaceConfirmed(_ before: SlotStamps, with after: SlotStamps, of key: RecordKey) throws {
        if after == SlotStamps() {
            try forgetConfirmed(key)
        } else if before == SlotStamps() {
            try writeConfirmed(after, of: key)
        } else {
            try updateConfirmed(after, of: key)
        }
    }

    private func withBound(
        _ query: Query, _ slots: SlotStamps, of key: RecordKey, _ run: () throws -> Void
    ) throws {
        try BlobScratch.withRoom(for: 4, query.identifiers) { words in
            query.bind(1, key.entity.rawValue)
            query.bind(2, words.add(key.id))
            query.bind(3, slots.put.map { words.add($0.stamp) })
            query.bind(4, slots.put.map { words.add($0.hash) })
            query.bind(5, slots.delete.map { words.add($0) })
            try run()
        }
    }

    private func forgetConfirmed(_ key: RecordKey) throws {
        let query = try database.query("DELETE FROM roost_fact WHERE entity = ? AND id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        try query.run()
    }

    func stamp(_ time: Int64?) -> HybridTimestamp? {
        time.map { HybridTimestamp(time: UInt64(clamping: $0), replica: replica) }
    }

    private func later(_ left: HybridTimestamp?, _ right: HybridTimestamp?) -> HybridTimestamp? {
        guard let left, let right else { return left ?? right }
        return max(left, right)
    }
}
