internal import GRDB
internal import RoostModel
internal import Synchronization

extension Replica {
    /// Runs a transaction. If an index of another program makes a table unwritable, because it needs a collation or a
    /// function that only that program has, drops the index and runs the transaction again.
    ///
    /// The log states the index's SQL, so that its program can create it again. No data is lost, since an index holds only
    /// values of the rows.
    func withoutForeignIndexes<Result>(_ database: Database, _ transaction: () throws -> Result) throws -> Result {
        do {
            return try transaction()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            guard let name = Self.missingName(error.message ?? ""), try dropIndexes(needing: name, database) else {
                throw error
            }
            return try transaction()
        }
    }

    private static func missingName(_ message: String) -> String? {
        for start in ["no such collation sequence: ", "no such function: ", "unknown function: "]
        where message.begins(with: start) {
            let name = message.utf8.dropFirst(start.utf8.count).prefix { $0 != UInt8(ascii: "(") }
            return String(decoding: name, as: UTF8.self)
        }
        return nil
    }

    /// Drops the indexes that need a collation or function.
    ///
    /// - Returns: Whether there were any.
    private func dropIndexes(needing name: String, _ database: Database) throws -> Bool {
        try database.inOneTransaction(.immediate) { database in
            let tables = Set(layout.tables.map(\.table))
            let indexes = try SchemaItem.all(database).filter { item in
                item.kind == .index && !item.isRoosts && tables.contains(item.tableKey)
                    && SQLName.folded(item.sql).contains(SQLName.folded(name))
            }
            for index in indexes {
                try database.executeOne("DROP INDEX \(SQLName.quoted(index.name))")
                try Journal(database: database, now: now).event(
                    "layout",
                    "The index \"\(index.name)\" was dropped: it needs \"\(name)\", which only its own program has, and without that nothing can be written to \"\(index.table)\". It was made by: \(index.sql)"
                )
            }
            if !indexes.isEmpty {
                foundDamage.withLock { found in
                    var damage = found ?? OutboxDamage()
                    damage.notices += indexes.map { index in
                        "The index \"\(index.name)\" was dropped, because it needs \"\(name)\", which only its own program has; \"roost log\" says how it was made."
                    }
                    found = damage
                }
            }
            return !indexes.isEmpty
        }
    }
}
