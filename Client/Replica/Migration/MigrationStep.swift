internal import GRDB
public import RoostModel

/// The environment of a ``MigrationPlan/Stage``'s code: the records before the stage, and a transaction on the new tables.
///
/// Valid only while the code runs.
public final class MigrationStep {
    /// The schema of the records before the stage.
    public let old: Schema
    /// The schema that the tables have now. Everything that follows from the schemas is done.
    public let new: Schema
    /// The transaction on the new tables, like that of ``Replica/write(_:_:)``.
    public let transaction: LocalTransaction
    /// The tables before the stage, under other names. Writes of the code do not change them.
    private let before: Layout

    init(from before: Layout, _ transaction: LocalTransaction) {
        self.before = before
        self.transaction = transaction
        old = before.schema
        new = transaction.layout.schema
    }

    private static let recordsAtOnce = 500

    /// Returns the current values of a visible record by their new names, including what other devices have written in the
    /// new version; `nil` if there is no such record.
    ///
    /// - Throws: ``ReplicaError`` with the code `unknown` if the new schema has no such entity.
    public func values(of entity: String, _ id: RecordID) throws -> [String: Value]? {
        let table = try transaction.table(named: entity)
        let query = try transaction.database.query(table.sql.visibleRow)
        query.bind(1, id)
        let kinds = table.slots.map(\.kind)
        return try query.first { row in
            Dictionary(uniqueKeysWithValues: zip(table.columns.map(\.name), row.values(from: 1, as: kinds)))
        }
    }

    /// Calls `body` with each record of an entity that was visible before the stage, in the order of identifiers.
    ///
    /// - Parameters:
    ///   - entity: The entity's name in the old schema; `Entity_relationship` for links.
    ///   - body: Receives the identifier, and the values by their old names. The value of a reference is the bytes of its
    ///     target's identifier.
    /// - Throws: ``ReplicaError`` with the code `unknown` if the old schema has no such entity, and errors of `body`.
    public func forEach(_ entity: String, _ body: (RecordID, [String: Value]) throws -> Void) throws {
        guard let table = before.tables.first(where: { $0.name == entity }) else {
            throw ReplicaError(
                .unknown,
                "There is no entity \"\(entity)\" in version \(old.version). It has \(before.tables.map(\.name).joined(separator: ", "))."
            )
        }
        let kinds = table.slots.map(\.kind)
        var last: RecordID?
        while true {
            let condition = last == nil ? "" : "WHERE id > ?"
            let query = try transaction.database.query(
                "SELECT \(table.columnList) FROM \(table.visible) \(condition) ORDER BY id LIMIT \(Self.recordsAtOnce)")
            if let last { query.bind(1, last) }
            let rows = try query.all { row in (row.id(0), row.values(from: 1, as: kinds)) }
            for (id, values) in rows {
                guard let id else { continue }
                last = id
                try body(id, Dictionary(uniqueKeysWithValues: zip(table.columns.map(\.name), values)))
            }
            if rows.count < Self.recordsAtOnce { return }
        }
    }
}
