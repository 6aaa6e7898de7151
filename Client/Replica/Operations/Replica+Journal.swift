internal import GRDB
internal import RoostMerge
public import RoostModel

extension Replica {
    /// Returns the outcomes of changes that are not current: first beaten, refused and reverted changes in order of time,
    /// then the changes that are hidden, kept or unfit now.
    ///
    /// A beaten change is left out while another change with the same content stands (``JournalEntry/isCurrent``).
    public func journal() throws -> [JournalEntry] { try wholeJournal().filter { !$0.isCurrent } }

    /// Returns the entries of ``journal()``, and those of beaten changes that are current all the same.
    public func wholeJournal() throws -> [JournalEntry] {
        try read("read the journal") { database in
            let replica = try StateStore(database: database).replica
            let explanation = try Explanation(database, layout, replica: replica)
            let rows = try RowStore(database, layout)
            let stamps = try EffectiveStamps(readingMarks: database, replica: replica)
            var entries = try RecordedEntries(database, layout, stamps).all()
            for table in layout.tables {
                let query = try database.query("SELECT id FROM \(table.hidden) ORDER BY id")
                for id in try query.all({ $0.id(0) }).compactMap({ $0 }) {
                    let key = RecordKey(entity: table.entity, id: id)
                    guard case .hidden(let cause) = try explanation.liveness(of: key) else { continue }
                    entries.append(
                        JournalEntry(
                            key: key, outcome: .hidden, stamp: try stamps.of(key).put,
                            put: try rows.encodedPut(of: key),
                            by: try stamps.of(cause).delete, reason: try reason(cause, stamps, rows)))
                }
            }
            for key in try RecordKeyTable.kept.all(database).sorted() {
                guard case .kept(let keepers) = try explanation.liveness(of: key) else { continue }
                let names = Set(keepers.compactMap { layout[$0.entity]?.name }).sorted().joined(separator: ", ")
                entries.append(
                    JournalEntry(
                        key: key, outcome: .kept, stamp: try stamps.of(key).delete, put: nil,
                        reason: "Deleted, but kept by \(keepers.count) that refer to it (\(names))."))
            }
            return entries + (try unfit(database))
        }
    }

    /// Writes the content of a journal entry as a new change of its record.
    ///
    /// - Throws: ``ReplicaError`` with the code `unknown` if there is no such entry, or it has no content.
    public func restore(_ ordinal: Int64) throws -> JournalEntry {
        let entry = try read("read the journal") { try recordedEntries($0).entry(ordinal) }
        guard let entry else {
            throw ReplicaError(
                .unknown,
                "Cannot restore entry \(ordinal): the journal has none of that number. \"roost journal\" lists them.")
        }
        guard entry.outcome != .damaged || entry.put != nil else {
            throw ReplicaError(
                .unknown, "Cannot restore entry \(ordinal): its content is not in the file any more.")
        }
        try write("restore \(ordinal)") { transaction in
            if let put = entry.put {
                try transaction.restore(entry.key, put)
            } else {
                try transaction.delete(layout[entry.key.entity]?.name ?? "", id: entry.key.id)
            }
        }
        return entry
    }

    /// Returns the records that can be undeleted, with their content: those deleted by their own delete, not hidden by a
    /// rule.
    public func deleted() throws -> [(key: RecordKey, put: [UInt8], deletedBy: HybridTimestamp?)] {
        try read("read the deleted records") { database in
            let rows = try RowStore(database, layout)
            let stamps = try EffectiveStamps(
                readingMarks: database, replica: try StateStore(database: database).replica)
            return try layout.tables.flatMap { table in
                let query = try database.query("SELECT id FROM \(table.hidden) WHERE roost_deleted = 1 ORDER BY id")
                let ids = try query.all { $0.id(0) }.compactMap { $0 }
                return try ids.compactMap { id -> (key: RecordKey, put: [UInt8], deletedBy: HybridTimestamp?)? in
                    let key = RecordKey(entity: table.entity, id: id)
                    guard let put = try rows.encodedPut(of: key) else { return nil }
                    return (key, put, try stamps.of(key).delete)
                }
            }
        }
    }

    /// Returns how many of the last beaten changes are not current.
    package func countBeaten(last limit: Int) throws -> Int {
        try engineLook("read the journal", isSnapshot: true) { database in
            try checkTables(database)
            return try recordedEntries(database).countBeaten(last: limit)
        }
    }

    /// Counts all beaten changes that are not current.
    func countBeaten(_ database: Database) throws -> Int {
        let query = try database.query("SELECT 1 FROM roost_journal WHERE outcome = ? LIMIT 1")
        query.bind(1, JournalEntry.Outcome.beaten.rawValue)
        return try query.first { _ in true } == nil ? 0 : recordedEntries(database).countBeaten()
    }

    private func recordedEntries(_ database: Database) throws -> RecordedEntries {
        let replica = try StateStore(database: database).replica
        return try RecordedEntries(database, layout, EffectiveStamps(readingMarks: database, replica: replica))
    }

    private func unfit(_ database: Database) throws -> [JournalEntry] {
        let query = try database.query(
            "SELECT entity, id, put, reason, \(RowStore.isDeletedUnfit(layout)) FROM roost_unfit AS u ORDER BY entity, id"
        )
        return try query.all { row in
            let deleted = row.integer(4) != 0 ? " The record is deleted now." : ""
            return row.key(0).map {
                JournalEntry(key: $0, outcome: .unfit, put: row.bytes(2), reason: row.text(3) + deleted)
            }
        }.compactMap { $0 }
    }

    private func reason(_ cause: RecordKey, _ stamps: EffectiveStamps, _ rows: RowStore) throws -> String {
        let name = layout[cause.entity]?.name ?? "record"
        let (put, delete) = try stamps.of(cause)
        let what =
            switch OwnState(put: put, delete: delete) {
            case .put where try rows.isUnfit(cause): "does not fit this replica's schema"
            case .put: try reasonOfMissing(cause, rows.database)
            case .deleted: "is deleted"
            case .absent: delete == nil ? "is not here" : "is deleted"
            }
        return "Hidden because \(name) \(cause.id) \(what)."
    }

    /// Returns the reason why a record has no row although it exists and fits the schema.
    private func reasonOfMissing(_ key: RecordKey, _ database: Database) throws -> String {
        if try MissingRecords(database: database, layout: layout).contains(key) {
            return "has no row here. Nothing says that it was deleted: \"roost status\" says how to answer"
        }
        return "has no row here, and comes back from the server with the next synchronisation"
    }
}
