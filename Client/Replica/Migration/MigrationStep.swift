internal import GRDB
public import RoostModel

/// What the code of a ``MigrationPlan/Stage`` works with: the records as they were, and a transaction on the new tables.
///
/// Valid only while the code runs.
public final class MigrationStep {
    /// The version that the records had.
    public let old: Schema
    /// The version that the tables have now. What follows from the schemas is done.
    public let new: Schema
    /// Writes to the new tables, as ``Replica/write(_:_:)`` does.
    public let transaction: LocalTransaction
    /// The tables as they were, under other names: nothing of what the code writes shows in them.
    private let before: Layout

    init(from before: Layout, _ transaction: LocalTransaction) {
        self.before = before
        self.transaction = transaction
        old = before.schema
        new = transaction.layout.schema
    }

    private static let recordsAtOnce = 500

    /// A visible record as it is now, by its new names and with what other devices have written by the new version; `nil` where there
    /// is none.
    ///
    /// - Throws: ``ReplicaError`` with the code `unknown` where the new schema has no such entity.
    public func values(of entity: String, _ id: RecordID) throws -> [String: Value]? {
        let table = try transaction.table(named: entity)
        let query = try transaction.database.query(table.sql.visibleRow)
        query.bind(1, id)
        let kinds = table.slots.map(\.kind)
        return try query.first { row in
            Dictionary(uniqueKeysWithValues: zip(table.columns.map(\.name), row.values(from: 1, as: kinds)))
        }
    }

    /// Calls `body` with each record of an entity that was visible, as it was, in the order of identifiers.
    ///
    /// - Parameters:
    ///   - entity: By its name in the old schema; `Entity_relationship` for links.
    ///   - body: Given the identifier and the attributes by their old names; a reference is the bytes of the record that it names.
    /// - Throws: ``ReplicaError`` with the code `unknown` where the old schema has no such entity, and what `body` throws.
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
