internal import GRDB

extension ReplicaCheck {
    /// References of one table to rows of a visible table that are not there, by a foreign key that another program has declared.
    ///
    /// The records that such rows were are deleted, or hidden because of another record. See Docs/other-programs/relationships.md.
    public struct DanglingReferences: Hashable, Sendable {
        /// The name of the table with the references.
        public let table: String
        /// The name of the visible table to which they refer, in lower case.
        public let destination: String
        /// The number of the references.
        public let count: Int
    }
}

extension Replica {
    /// Returns the references to rows of visible tables that are not there, by declared foreign keys. Each table with such a
    /// foreign key is read once.
    func danglingReferences() throws -> [ReplicaCheck.DanglingReferences] {
        let visible = Set(layout.tables.map(\.table))
        return try engineLook("check the foreign keys of other programs") { database in
            let tables = try database.query(
                """
                SELECT DISTINCT t.name, f."table" FROM sqlite_schema AS t JOIN pragma_foreign_key_list(t.name) AS f
                WHERE t.type = 'table' ORDER BY t.name
                """
            ).all { (name: $0.text(0), destination: SQLName.folded($0.text(1))) }
            let referring = Set(tables.filter { visible.contains($0.destination) }.map(\.name)).sorted()
            return try referring.flatMap { try Self.danglingReferences(of: $0, database) }
                .filter { visible.contains($0.destination) }
        }
    }

    /// - Returns: Nothing for a table that SQLite cannot check, such as one whose foreign key names a column that is no key.
    private static func danglingReferences(
        of table: String, _ database: Database
    ) throws -> [ReplicaCheck.DanglingReferences] {
        do {
            let query = try database.query(
                "SELECT lower(parent), count(*) FROM pragma_foreign_key_check(?) GROUP BY 1 ORDER BY 1")
            query.bind(1, table)
            return try query.all {
                ReplicaCheck.DanglingReferences(
                    table: table, destination: $0.text(0), count: Int(clamping: $0.integer(1)))
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            return []
        }
    }
}
