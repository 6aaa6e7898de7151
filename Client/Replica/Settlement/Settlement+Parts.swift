internal import GRDB
internal import RoostModel

/// A position in the outbox, in the order of its table. It may be that of an entry whose identifier is damaged.
struct OutboxPosition {
    var entity: Int64
    var id: [UInt8]

    /// The position before all entries.
    static let start = OutboxPosition(entity: .min, id: [])

    fileprivate func bind(to query: Query, from index: Int32) {
        query.bind(index, entity)
        query.bind(index + 1, identifierBytes: id)
    }
}

/// Reads the unsettled entries of the outbox in parts.
extension Settlement {
    /// One part of the unsettled entries of the outbox.
    struct Part {
        var waiting: [Outbox.Waiting] = []
        /// Entries made from marks, not yet reconciled with their rows.
        var taken: [Outbox.Waiting] = []
        /// Whether an entry names no record.
        var hasNameless = false
        /// The position of the last entry.
        var end: OutboxPosition
        fileprivate var count = 0
        /// Whether no unsettled entry follows this part.
        var isLast: Bool { count < ChangesInTurns.changesAtOnce }
    }

    /// Reads the next part; `nil` where none is left.
    func unsettled(after place: OutboxPosition) throws -> Part? {
        let query = try database.query(
            """
            SELECT entity, id, put_stamp, del_stamp, unsettled FROM roost_outbox
            WHERE unsettled > 0 AND (entity, id) > (?1, ?2) ORDER BY entity, id LIMIT ?3
            """)
        place.bind(to: query, from: 1)
        query.bind(3, ChangesInTurns.changesAtOnce)
        defer { query.reset() }
        var part: Part?
        while try query.step() {
            var next = part ?? Part(end: place)
            part = nil
            next.count += 1
            next.end = OutboxPosition(entity: query.integer(0), id: query.bytes(1))
            if let key = query.key(0) {
                let change = Outbox.Waiting(key: key, put: query.optionalInteger(2), delete: query.optionalInteger(3))
                if query.integer(4) > 1 { next.taken.append(change) } else { next.waiting.append(change) }
            } else {
                next.hasNameless = true
            }
            part = next
        }
        return part
    }

    /// Marks the entries after `start` up to and including `end` as settled.
    func markSettled(from start: OutboxPosition, through end: OutboxPosition) throws {
        let query = try database.query(
            """
            UPDATE roost_outbox SET unsettled = 0
            WHERE unsettled > 0 AND (entity, id) > (?1, ?2) AND (entity, id) <= (?3, ?4)
            """)
        start.bind(to: query, from: 1)
        end.bind(to: query, from: 3)
        try query.run()
    }
}
