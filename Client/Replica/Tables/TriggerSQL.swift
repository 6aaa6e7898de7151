internal import GRDB
internal import RoostModel

/// The triggers that track every program's writes and apply the delete rules to them, in plain SQL without extensions.
///
/// A mark is a hint: settlement compares the row with its fact and decides what has become of it (``Reconciliation``). Edits and
/// deletes are marked before they happen, because a BEFORE trigger has run whenever the row is really written, whatever another
/// program's trigger raises later. Inserts are marked afterwards, which takes a tenth less time. Where another program has
/// triggers on a visible table, inserts are marked before they happen.
enum TriggerSQL {
    /// The value of `applying` while Roost moves rows itself on a connection with triggers. It makes Roost's triggers do nothing.
    /// It is set and reset inside one transaction, so that no other program ever reads it.
    static let engineDepth = 1_000_000

    static func make(_ table: EntityTable, in layout: Layout, _ database: Database) throws {
        for trigger in EntityTriggers(table, in: layout).all { try database.executeOne(trigger.sql) }
    }

    /// Drops the triggers of all entities, and leaves those of other programs.
    static func dropAll(in database: Database) throws {
        try drop(in: database) { _ in true }
    }

    /// Drops the triggers of one entity, on whatever table they are.
    static func drop(_ entity: EntityID, in database: Database) throws {
        try drop(in: database) { EntityTriggers.entity(ofTrigger: $0) == entity }
    }

    private static func drop(in database: Database, where condition: (String) -> Bool) throws {
        let names = try String.fetchAll(
            database, sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND \(SchemaItem.isRoostsSQL)"
        )
        for name in names where condition(name) { try database.executeOne("DROP TRIGGER \(SQLName.quoted(name))") }
    }
}
