internal import GRDB
internal import RoostModel

/// The triggers that track every program's writes and apply the delete rules to them, in plain SQL with nothing loaded.
///
/// That a row has come or gone is appended to the marks (``Marks``); that one was edited is an entry of the outbox, of which a record has one
/// however often it is edited. What the change is, is read off the tables when it is pushed.
/// The clock of the control row is only read, never written, for a tracked change. `applying` counts how deep a delete rule is at
/// work, so that what it does to other records is not tracked: a delete rule never writes a change.
enum TriggerSQL {
    /// The value of `applying` while Roost's own code writes: triggers stand still.
    static let engineDepth = 1_000_000

    static func make(_ table: EntityTable, in layout: Layout, _ database: Database) throws {
        for statement in create(table, in: layout) { try database.execute(sql: statement) }
    }

    /// Takes the triggers of all entities away, and leaves those of other programs.
    static func dropAll(in database: Database) throws {
        let names = try String.fetchAll(
            database, sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'roost\\_%' ESCAPE '\\'"
        )
        for name in names { try database.execute(sql: "DROP TRIGGER \"\(name)\"") }
    }

    private static func create(_ table: EntityTable, in layout: Layout) -> [String] {
        [insert(table), update(table, in: layout), rename(table), delete(table, in: layout)]
            + denials(table, in: layout) + unmasks(table)
    }

    /// The clock reading for a change made now.
    private static let stamp = """
        max((CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) + clock_offset) << 16, clock + 1)
        """

    /// - Parameter unsettled: Whether something may follow from the change for what is visible.
    private static func markEdit(_ table: EntityTable, unsettled: String) -> String {
        """
        INSERT INTO roost_outbox(entity, id, put_stamp, first, txn, unsettled)
          SELECT \(table.entity), NEW.id, \(stamp), txn, txn, \(unsettled) FROM roost_control WHERE applying = 0
          ON CONFLICT(entity, id) DO UPDATE SET
            put_stamp = max(excluded.put_stamp, coalesce(put_stamp, 0) + 1, coalesce(del_stamp, 0) + 1),
            txn = excluded.txn, unsettled = max(unsettled, excluded.unsettled);
        """
    }

    /// A new row. No look at the control row, which takes a third as long again: no delete rule makes rows visible, and who of Roost does so
    /// on a connection with triggers discards what they marked (``Marks/discard()``).
    private static func markInsert(_ table: EntityTable) -> String {
        "INSERT INTO roost_mark(entity, id, at) VALUES (\(table.entity), NEW.id, julianday('now'));"
    }

    /// A row that is gone, or that has another identifier now, in the order in which that happened to it.
    private static func mark(_ table: EntityTable, _ row: String, isDelete: Bool) -> String {
        """
        INSERT INTO roost_mark(entity, id, at, deletes)
          SELECT \(table.entity), \(row).id, julianday('now'), \(isDelete ? 1 : 0) FROM roost_control WHERE applying = 0;
        """
    }

    /// Keeps the row that a delete takes away: it is the put slot.
    private static func save(_ table: EntityTable) -> String {
        let values = (["id"] + table.columns.map(\.quoted)).map { "OLD.\($0)" }.joined(separator: ", ")
        return """
            INSERT OR REPLACE INTO \(table.hidden)(\(table.columnList), roost_deleted)
              SELECT \(values), 1 FROM roost_control WHERE applying = 0;
            """
    }

    private static func insert(_ table: EntityTable) -> String {
        #if ROOST_SEEDED_BUGS
            if SeededBug.replaceUntracked.isOn {
                return """
                    CREATE TRIGGER "roost_insert_\(table.entity)" AFTER INSERT ON \(table.visible)
                    WHEN NOT EXISTS (SELECT 1 FROM roost_fact WHERE entity = \(table.entity) AND id = NEW.id)
                    BEGIN \(markInsert(table)) END
                    """
            }
        #endif
        return """
            CREATE TRIGGER "roost_insert_\(table.entity)" AFTER INSERT ON \(table.visible) BEGIN
            \(markInsert(table))
            \(forgetMasks(table))
            END
            """
    }

    /// What is inserted has the references it is given; of a record that was deleted, none of the earlier ones stays.
    private static func forgetMasks(_ table: EntityTable) -> String {
        let written = table.references.filter { $0.rule?.isMaskable == true }.map { column in
            "(relationship = \(column.property) AND NEW.\(column.quoted) IS NOT NULL)"
        }
        guard !written.isEmpty else { return "" }
        let isAnew = "EXISTS (SELECT 1 FROM \(table.hidden) h WHERE h.id = NEW.id AND h.roost_deleted = 1)"
        return """
            DELETE FROM roost_raw WHERE entity = \(table.entity) AND id = NEW.id
              AND (\((written + [isAnew]).joined(separator: " OR ")))
              AND (SELECT applying FROM roost_control) = 0;
            """
    }

    private static func update(_ table: EntityTable, in layout: Layout) -> String {
        "CREATE TRIGGER \"roost_update_\(table.entity)\" AFTER UPDATE ON \(table.visible) BEGIN "
            + markEdit(table, unsettled: moves(table, in: layout)) + " END"
    }

    /// Whether an update may change what is visible: one of attributes alone does not (``ReferenceRules/visibleIsPut``).
    private static func moves(_ table: EntityTable, in layout: Layout) -> String {
        guard layout.rules.visibleIsPut else { return "1" }
        return (["NEW.id <> OLD.id"] + table.references.map { "NEW.\($0.quoted) IS NOT OLD.\($0.quoted)" })
            .joined(separator: " OR ")
    }

    /// Another identifier is another record: the old one is deleted, and the new one has come.
    private static func rename(_ table: EntityTable) -> String {
        """
        CREATE TRIGGER "roost_rename_\(table.entity)" AFTER UPDATE OF id ON \(table.visible) WHEN NEW.id <> OLD.id BEGIN
        \(save(table))
        \(mark(table, "OLD", isDelete: true))
        \(mark(table, "NEW", isDelete: false))
        END
        """
    }

    private static func delete(_ table: EntityTable, in layout: Layout) -> String {
        let effects = layout.incoming(table.entity).compactMap { rule, child, column -> String? in
            switch rule.deleteRule {
            // A statement that deletes parent and child would miss the child's own delete if its row were taken away from
            // under it; the children of a hierarchy are hidden when it is settled.
            case .cascade: return child.entity == table.entity ? nil : hide(child, column, layout)
            case .nullify, .deny: return mask(child, column)
            case .noAction: return nil
            }
        }
        let rules =
            effects.isEmpty
            ? ""
            : """
            UPDATE roost_control SET applying = applying + 1;
            \(effects.joined(separator: "\n"))
            UPDATE roost_control SET applying = applying - 1;
            """
        // What a delete rule takes away is not tracked; it is looked at only where more may hang off it.
        let condition = effects.isEmpty ? "= 0" : "< \(engineDepth)"
        return """
            CREATE TRIGGER "roost_delete_\(table.entity)" AFTER DELETE ON \(table.visible)
            WHEN (SELECT applying FROM roost_control) \(condition) BEGIN
            \(save(table))
            \(mark(table, "OLD", isDelete: true))
            \(rules)
            END
            """
    }

    /// Takes the children of the deleted record out of sight. Their own delete trigger does the same one level down.
    private static func hide(_ child: EntityTable, _ column: EntityTable.Column, _ layout: Layout) -> String {
        let isHeld = layout.incoming(child.entity).contains { $0.rule.deleteRule == .deny }
        let deleted =
            isHeld
            ? "(SELECT count(*) FROM roost_kept k WHERE k.entity = \(child.entity) AND k.id = c.id)" : "0"
        return """
            INSERT OR REPLACE INTO \(child.hidden)(\(child.columnList), roost_deleted)
              SELECT \(child.columnList(prefix: "c")), \(deleted) FROM \(child.visible) c WHERE c.\(column.quoted) = OLD.id;
            DELETE FROM \(child.visible) WHERE \(column.quoted) = OLD.id;
            """
    }

    /// Lets references to the deleted record read nil, and keeps what they say.
    private static func mask(_ child: EntityTable, _ column: EntityTable.Column) -> String {
        """
        INSERT OR REPLACE INTO roost_raw(entity, id, relationship, target)
          SELECT \(child.entity), id, \(column.property), OLD.id FROM \(child.visible) WHERE \(column.quoted) = OLD.id;
        UPDATE \(child.visible) SET \(column.quoted) = NULL WHERE \(column.quoted) = OLD.id;
        """
    }

    /// RAISE takes a literal message before SQLite 3.47, so each relationship has a trigger of its own.
    private static func denials(_ table: EntityTable, in layout: Layout) -> [String] {
        layout.incoming(table.entity).filter { $0.rule.deleteRule == .deny }.map { _, child, column in
            let others = child.entity == table.entity ? " AND id <> OLD.id" : ""
            let subject = table.name.lowercased()
            let message =
                "Cannot delete this \(subject): a \(child.name.lowercased()) refers to it as its \(column.name). "
                + "Delete that one, or give it another \(column.name), first."
            return """
                CREATE TRIGGER "roost_deny_\(table.entity)_\(child.entity)_\(column.property)" BEFORE DELETE ON \(table.visible)
                WHEN (SELECT applying FROM roost_control) = 0 BEGIN
                SELECT RAISE(ABORT, '\(message)')
                  WHERE EXISTS(SELECT 1 FROM \(child.visible) WHERE \(column.quoted) = OLD.id\(others));
                END
                """
        }
    }

    /// A reference that is written anew replaces the stored one; a nil that is written over a shown nil does not.
    private static func unmasks(_ table: EntityTable) -> [String] {
        table.references.filter { $0.rule?.isMaskable == true }.map { column in
            """
            CREATE TRIGGER "roost_unmask_\(table.entity)_\(column.property)" AFTER UPDATE OF \(column.quoted) ON \(table.visible)
            WHEN NEW.\(column.quoted) IS NOT OLD.\(column.quoted) BEGIN
            DELETE FROM roost_raw WHERE entity = \(table.entity) AND id = NEW.id AND relationship = \(column.property)
              AND (SELECT applying FROM roost_control) = 0;
            END
            """
        }
    }
}
