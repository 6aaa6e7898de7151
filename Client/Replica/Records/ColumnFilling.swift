internal import GRDB
internal import RoostModel

/// A synchronised column that another program has renamed, and then added again under its old name. The new column is empty
/// although no program cleared the property, so Roost fills it from the renamed one.
struct ColumnFilling {
    let table: EntityTable
    /// The column that was added, empty.
    let column: TableColumn
    /// The renamed column, which holds the values.
    let source: TableColumn

    /// Makes a sentence for the log.
    func notice(_ outcome: String) -> String {
        """
        The column "\(column.name)" of "\(table.table)" had been renamed to "\(source.name)" and added again, empty. \(outcome) \
        Rename the property in the schema instead.
        """
    }

    /// Fills the column in rows where it still holds its default. User triggers run, so that what they have derived from the
    /// column since then follows.
    ///
    /// Call it within ``Replica/withUserTriggers(_:of:_:)``, once the table and Roost's triggers exist.
    ///
    /// - Returns: A sentence for the log.
    func run(_ database: Database) throws -> String {
        let columns = Set(try TableColumn.all(of: table.table, database).map(\.key))
        guard columns.contains(column.key), columns.contains(source.key) else {
            return notice("Copy its values from where \"\(source.name)\" is now.")
        }
        // User indexes are taken out meanwhile: a unique index over the column may have been made since it was added.
        let own = try UserSchemaObjects(takenFrom: [table.table], database, [.index])
        let refused = try fill(database)
        let lost = try own.makeAgain(.index)
        var outcome = ["It has its values again; \"\(source.name)\" is yours."]
        if refused > 0 { outcome = ["Copy the values of \(refused) rows from \"\(source.name)\", which is yours."] }
        let readers = try SchemaItem.all(database).filter { item in
            (item.kind == .view || item.kind == .trigger && !item.isRoosts) && item.mentions(source.name)
        }.map { "\"\($0.name)\"" }
        if !readers.isEmpty { outcome.append("These name \"\(source.name)\": \(readers.joined(separator: ", ")).") }
        return notice((outcome + lost).joined(separator: " "))
    }

    /// Copies the values of the renamed column, row by row.
    ///
    /// - Returns: The number of rows that refuse their value.
    private func fill(_ database: Database) throws -> Int {
        let (name, from) = (SQLName.quoted(column.name), "t.\(SQLName.quoted(source.name))")
        let mayBeNull = column.isRequired ? " AND \(from) IS NOT NULL" : ""
        let ids = try database.query(
            """
            SELECT t."id" FROM \(table.visible) AS t
            WHERE t.\(name) IS (\(column.defaultExpression ?? "NULL")) AND \(from) IS NOT t.\(name)\(mayBeNull)
            """
        ).all { $0.id(0) }.compactMap(\.self)
        var refused = 0
        for id in ids {
            do {
                _ = try UserTriggers.guarding(database, setting: column.name, isDone: { $0 > 0 }) {
                    // Looked up again for each attempt, as when triggers are bypassed.
                    let writing = try database.query(
                        "UPDATE \(table.visible) AS t SET \(name) = \(from) WHERE t.\"id\" = ?")
                    writing.bind(1, id)
                    try writing.run()
                    return writing.rowsWritten
                }
            } catch let error as DatabaseError where RowStore.isRefusal(error) {
                refused += 1
            }
        }
        return refused
    }
}
