internal import GRDB
public import RoostModel

/// One change, as the log shows it.
public struct LogEntry: Hashable, Sendable {
    /// The time of the change and the replica that made it.
    public var stamp: HybridTimestamp
    /// The record that was changed.
    public var key: RecordKey
    /// Whether the record was deleted; a put otherwise.
    public var isDelete: Bool
    /// Whether the change is pending: the server has not acknowledged it yet.
    public var isWaiting: Bool
}

extension Replica {
    /// Returns the newest changes that the replica has, newest first: the newest put and delete of each record.
    public func log(limit: Int) throws -> [LogEntry] {
        try read("read the log") { database in
            let replica = try StateStore(database: database).replica
            let stamps = try EffectiveStamps(readingMarks: database, replica: replica)
            let marked = stamps.marked
            let waiting = try database.query(
                """
                SELECT entity, id, put_stamp AS s, 0 FROM roost_outbox WHERE put_stamp IS NOT NULL
                UNION ALL SELECT entity, id, del_stamp, 1 FROM roost_outbox WHERE del_stamp IS NOT NULL
                ORDER BY s DESC LIMIT ?
                """)
            waiting.bind(1, limit + 2 * marked.count)
            var entries = try waiting.all { row -> LogEntry? in
                guard let key = row.key(0), let stamp = stamps.stamp(row.integer(2)) else { return nil }
                // The loop over the marked records adds it, joined with its marks.
                guard !marked.contains(key) else { return nil }
                return LogEntry(stamp: stamp, key: key, isDelete: row.integer(3) != 0, isWaiting: true)
            }.compactMap { $0 }
            for key in marked {
                let pending = try stamps.pending(key)
                for (stamp, isDelete) in [(pending.put, false), (pending.delete, true)] {
                    guard let stamp else { continue }
                    entries.append(LogEntry(stamp: stamp, key: key, isDelete: isDelete, isWaiting: true))
                }
            }
            let confirmed = try database.query(
                """
                SELECT entity, id, put_stamp AS s, 0 FROM roost_fact WHERE put_stamp IS NOT NULL
                UNION ALL SELECT entity, id, del_stamp, 1 FROM roost_fact WHERE del_stamp IS NOT NULL
                ORDER BY s DESC LIMIT ?
                """)
            confirmed.bind(1, limit)
            entries += try confirmed.all { row -> LogEntry? in
                guard let key = row.key(0), let stamp = row.stamp(2) else { return nil }
                return LogEntry(stamp: stamp, key: key, isDelete: row.integer(3) != 0, isWaiting: false)
            }.compactMap { $0 }
            return Array(entries.sorted { $0.stamp > $1.stamp }.prefix(limit))
        }
    }

    /// Returns the events of the replica as a whole, newest first: (milliseconds since 1970, kind, text).
    public func events(limit: Int) throws -> [(at: Int64, kind: String, text: String)] {
        try read("read the events") { database in
            let query = try database.query("SELECT at, kind, text FROM roost_event ORDER BY ordinal DESC LIMIT ?")
            query.bind(1, limit)
            return try query.all { ($0.integer(0), $0.text(1), $0.text(2)) }
        }
    }

    /// Returns the current content of a record, encoded, visible or not; `nil` if there is none. Waits while a page is being
    /// applied.
    public func content(of key: RecordKey) throws -> [UInt8]? {
        try engineLook("read a record", isSnapshot: true) { database in
            try checkVersion(of: database)
            return try RowStore(database, layout).encodedPut(of: key)
        }
    }

    /// Records an event of the replica as a whole.
    package func note(_ kind: String, _ text: String) throws {
        try engineWrite("write down an event") { try Journal(database: $0, now: now).event(kind, text) }
    }
}
