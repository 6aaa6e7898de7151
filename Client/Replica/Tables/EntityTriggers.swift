internal import RoostModel

/// The triggers of one entity's visible table.
///
/// No trigger relies on a conflict clause, because the clause of the statement that fires a trigger replaces it. Rows that may
/// already exist are written by an upsert. The tables that triggers read have aliases, so that an entity may be named "Old" or
/// "New".
struct EntityTriggers {
    struct Trigger: Hashable {
        let name: String
        let sql: String
    }

    let table: EntityTable
    let layout: Layout

    init(_ table: EntityTable, in layout: Layout) {
        self.table = table
        self.layout = layout
    }

    /// All triggers, in the order in which they are created. SQLite runs the one that was created last first.
    var all: [Trigger] {
        var all = [insert, update, rename, delete]
        all += denials(of: "DELETE", "deny", when: nil)
        all += denials(of: "UPDATE OF \"id\"", "keep", when: "NEW.\"id\" IS NOT OLD.\"id\"")
        all += unmasks + evictions
        return all + [replacement, renamed, insertedUnmask, cascade, lastEdit].compactMap(\.self)
    }

    /// Returns the entity whose trigger has this name; `nil` where the trigger is not one of Roost's.
    static func entity(ofTrigger name: String) -> EntityID? {
        let parts = name.parts(at: "_")
        guard parts.count >= 3, parts[0] == "roost", let number = UInt32(parts[2]) else { return nil }
        return EntityID(number)
    }

    // MARK: Parts

    private static let isUsers = "(SELECT c.applying FROM roost_control AS c) = 0"

    /// The SQL expression for the clock reading of a change that is made now, with `roost_control` as `c`.
    private static let stamp = SQLClock.reading(at: SQLClock.julianDay)

    private func trigger(_ kind: String, _ event: String, when condition: String?, _ body: String) -> Trigger {
        let name = "roost_\(kind)"
        let when = condition.map { " WHEN \($0)" } ?? ""
        return Trigger(
            name: name,
            sql: "CREATE TRIGGER \(SQLName.quoted(name)) \(event) ON \(table.visible)\(when) BEGIN\n\(body)\nEND")
    }

    private func kind(_ kind: String) -> String { "\(kind)_\(table.entity)" }

    /// Returns the statement that appends a mark for the insert or delete of a row.
    private func mark(_ row: String, isDelete: Bool) -> String {
        let deletes = isDelete ? (column: ", deletes", value: ", 1") : (column: "", value: "")
        return """
            INSERT INTO roost_mark(entity, id, at\(deletes.column)) VALUES (\(table.entity), \(row)."id", \(SQLClock.julianDay)\(deletes.value));
            """
    }

    /// The statement that copies a deleted row to the hidden table, as the put slot.
    private var save: String {
        let values = table.keptColumns.map { SQLName.column($0, of: "OLD") }.joined(separator: ", ")
        #if ROOST_SEEDED_BUGS
            if SeededBug.conflictClauseInTrigger.isOn {
                return "INSERT OR REPLACE INTO \(table.hidden)(\(table.keptList), roost_deleted) VALUES (\(values), 1);"
            }
        #endif
        return """
            INSERT INTO \(table.hidden)(\(table.keptList), roost_deleted) VALUES (\(values), 1)
              \(upsertHidden(table, deleted: "1"));
            """
    }

    /// The time at which edits and deletes are marked, relative to the write.
    private static var timing: String {
        #if ROOST_SEEDED_BUGS
            if SeededBug.marksAfterTriggers.isOn { return "AFTER" }
        #endif
        return "BEFORE"
    }

    private func upsertHidden(_ table: EntityTable, deleted: String) -> String {
        let columns = table.keptColumns.dropFirst().map { "\(SQLName.quoted($0)) = excluded.\(SQLName.quoted($0))" }
        return "ON CONFLICT(\"id\") DO UPDATE SET \((columns + ["roost_deleted = \(deleted)"]).joined(separator: ", "))"
    }

    /// Returns the condition that a trigger runs because the delete rule of another record's trigger changes this row.
    ///
    /// The rule's trigger first inserts a row with a random number. SQLite passes that number to a nested trigger as
    /// `last_insert_rowid()`, and restores the earlier one when the rule's trigger ends, however it ends. A row that a failed
    /// statement leaves in the table therefore matches no later statement.
    private func isByRule(_ condition: String) -> String {
        "EXISTS (SELECT 1 FROM roost_rule AS r WHERE r.n = last_insert_rowid() AND (\(condition)))"
    }

    /// The condition that a delete rule removes a row of this table because of one of its references; `nil` where no rule can.
    private var isHiddenByRule: String? {
        var conditions: [String] = []
        for column in table.references {
            guard let rule = column.rule, rule.deleteRule == .cascade, rule.destination != table.entity else {
                continue
            }
            conditions.append("r.entity = \(rule.destination) AND r.id = \(SQLName.column(column.name, of: "OLD"))")
        }
        return conditions.isEmpty ? nil : isByRule(conditions.joined(separator: " OR "))
    }

    private func isMaskedByRule(_ columns: [EntityTable.Column]) -> String? {
        var conditions: [String] = []
        for column in columns {
            guard let rule = column.rule, rule.isMaskable else { continue }
            let (old, new) = (SQLName.column(column.name, of: "OLD"), SQLName.column(column.name, of: "NEW"))
            // A trigger of another program that runs within the rule may write the reference in the same way, and more.
            let others = layout.hasUserTriggers ? table.columns.filter { $0.name != column.name } : []
            let isAlone = others.map { other in
                " AND \(SQLName.column(other.name, of: "NEW")) COLLATE BINARY IS \(SQLName.column(other.name, of: "OLD"))"
            }
            conditions.append(
                "r.entity = \(rule.destination) AND r.id = \(old) AND \(new) IS NULL\(isAlone.joined())")
        }
        return conditions.isEmpty ? nil : isByRule(conditions.joined(separator: " OR "))
    }

    private func all(_ conditions: String?...) -> String? {
        let conditions = conditions.compactMap(\.self)
        return conditions.isEmpty ? nil : conditions.joined(separator: " AND ")
    }

    // MARK: Inserts

    /// The trigger that marks a new row. After the insert it does not read the control row, which would take a third as long
    /// again. That is safe, because no delete rule makes rows visible, and Roost discards the marks of its own moves
    /// (``Marks/discard()``).
    private var insert: Trigger {
        // A trigger of another program on any table may write to this one while Roost writes.
        var condition = isBefore ? Self.isUsers : nil
        #if ROOST_SEEDED_BUGS
            if SeededBug.replaceUntracked.isOn {
                condition =
                    "NOT EXISTS (SELECT 1 FROM roost_fact AS f WHERE f.entity = \(table.entity) AND f.id = NEW.\"id\")"
            }
        #endif
        return trigger(
            kind("insert"), isBefore ? "BEFORE INSERT" : "AFTER INSERT", when: condition, mark("NEW", isDelete: false))
    }

    /// Whether an insert is marked before it happens, because a trigger of another program may prevent later triggers from
    /// running.
    private var isBefore: Bool { layout.hasUserTriggers && Self.timing == "BEFORE" }

    /// The trigger that marks an insert again where the row has replaced another one with its identifier. SQLite may run the
    /// delete trigger for the replaced row, and the insert must be marked after that delete.
    private var replacement: Trigger? {
        guard isBefore else { return nil }
        let hasReplaced =
            "EXISTS (SELECT 1 FROM \(table.hidden) AS h WHERE h.\"id\" = NEW.\"id\" AND h.roost_deleted = 1)"
        return trigger(
            kind("replace"), "AFTER INSERT", when: "\(Self.isUsers) AND \(hasReplaced)", mark("NEW", isDelete: false))
    }

    /// The trigger that removes masked references of an inserted record. A reference that the insert gives replaces the masked
    /// one. An insert of a deleted record removes all of them.
    private var insertedUnmask: Trigger? {
        let written = table.references.filter { $0.rule?.isMaskable == true }.map { column in
            "(roost_raw.relationship = \(column.property) AND \(SQLName.column(column.name, of: "NEW")) IS NOT NULL)"
        }
        guard !written.isEmpty else { return nil }
        let wasDeleted =
            "EXISTS (SELECT 1 FROM \(table.hidden) AS h WHERE h.\"id\" = NEW.\"id\" AND h.roost_deleted = 1)"
        return trigger(
            kind("forget"), "AFTER INSERT", when: nil,
            """
            DELETE FROM roost_raw WHERE roost_raw.entity = \(table.entity) AND roost_raw.id = NEW."id"
              AND (\((written + [wasDeleted]).joined(separator: " OR "))) AND \(Self.isUsers);
            """)
    }

    // MARK: Updates

    private var update: Trigger {
        let byRule = isMaskedByRule(table.references).map { " AND NOT \($0)" } ?? ""
        return trigger(
            kind("update"), "\(Self.timing) UPDATE", when: "NEW.\"id\" IS OLD.\"id\"",
            """
            INSERT INTO roost_outbox(entity, id, put_stamp, first, txn, unsettled)
              SELECT \(table.entity), OLD."id", \(Self.stamp), c.txn, c.txn, \(moves)
              FROM roost_control AS c WHERE c.applying = 0 AND \(isChanged)\(byRule)
              ON CONFLICT(entity, id) DO UPDATE SET
                put_stamp = max(excluded.put_stamp, coalesce(roost_outbox.put_stamp, 0) + 1, coalesce(roost_outbox.del_stamp, 0) + 1),
                txn = excluded.txn, unsettled = max(roost_outbox.unsettled, excluded.unsettled);
            """)
    }

    /// The condition that an update changes synchronised columns, with `roost_control` as `c`. An update without a change would
    /// give a pending change a later stamp, which beats what others have written since. Updates of the library, whose
    /// transactions have odd numbers, always count, because the library also writes data that is stored next to a row.
    private var isChanged: String {
        // A program that has rebuilt the table may have given a column another collation.
        let changed = table.columns.map { column in
            "\(SQLName.column(column.name, of: "NEW")) COLLATE BINARY IS NOT \(SQLName.column(column.name, of: "OLD"))"
        }
        return "(\((["c.txn & 1"] + changed).joined(separator: " OR ")))"
    }

    /// The condition that an update may change which records are visible. An update of attributes alone does not
    /// (``ReferenceRules/visibleIsPut``).
    ///
    /// Plain path: every edit is settled. `FamilyMovesTests` compares the rows with `VisibleState`.
    private var moves: String {
        guard layout.rules.visibleIsPut else { return "1" }
        let changed = table.references.map { column in
            "\(SQLName.column(column.name, of: "NEW")) IS NOT \(SQLName.column(column.name, of: "OLD"))"
        }
        return changed.isEmpty ? "0" : changed.joined(separator: " OR ")
    }

    /// The trigger for a change of the identifier, which makes another record. It marks a delete of the old record and an insert
    /// of the new one.
    private var rename: Trigger {
        trigger(
            kind("rename"), "BEFORE UPDATE OF \"id\"", when: "NEW.\"id\" IS NOT OLD.\"id\" AND \(Self.isUsers)",
            [save, mark("OLD", isDelete: true), mark("NEW", isDelete: false)].joined(separator: "\n"))
    }

    /// The trigger that runs after a change of the identifier. Where the statement replaces rows, the record that had the new
    /// identifier is gone by now.
    private var renamed: Trigger {
        trigger(
            kind("renamed"), "AFTER UPDATE OF \"id\"", when: "NEW.\"id\" IS NOT OLD.\"id\" AND \(Self.isUsers)",
            (moveInvisibleState + [mark("NEW", isDelete: false)]).joined(separator: "\n"))
    }

    /// The statements that move to the new identifier what no column shows: masked references, and properties that the schema
    /// does not know.
    private var moveInvisibleState: [String] {
        let isMaskable = table.references.contains { $0.rule?.isMaskable == true }
        let kept = (isMaskable ? [("roost_raw", ["relationship", "target"])] : []) + [("roost_extra", ["put"])]
        return kept.flatMap { name, columns in
            let read = columns.map { "roost_k.\($0)" }.joined(separator: ", ")
            return [
                "DELETE FROM \(name) WHERE \(name).entity = \(table.entity) AND \(name).id = NEW.\"id\";",
                """
                INSERT INTO \(name)(entity, id, \(columns.joined(separator: ", ")))
                  SELECT roost_k.entity, NEW."id", \(read) FROM \(name) AS roost_k
                  WHERE roost_k.entity = \(table.entity) AND roost_k.id = OLD."id";
                """,
            ]
        }
    }

    /// The triggers that replace a masked reference with one that is written again. A null written over a masked reference does
    /// not replace it.
    private var unmasks: [Trigger] {
        table.references.filter { $0.rule?.isMaskable == true }.map { column in
            let byRule = isMaskedByRule([column]).map { "NOT \($0)" }
            let changed =
                "\(SQLName.column(column.name, of: "NEW")) IS NOT \(SQLName.column(column.name, of: "OLD"))"
            return trigger(
                "\(kind("unmask"))_\(column.property)", "AFTER UPDATE OF \(column.quoted)",
                when: all(changed, Self.isUsers, byRule),
                """
                DELETE FROM roost_raw WHERE roost_raw.entity = \(table.entity) AND roost_raw.id = NEW."id"
                  AND roost_raw.relationship = \(column.property);
                """)
        }
    }

    // MARK: Deletes

    private var delete: Trigger {
        trigger(
            kind("delete"), "\(Self.timing) DELETE", when: all(Self.isUsers, isHiddenByRule.map { "NOT \($0)" }),
            [save, mark("OLD", isDelete: true)].joined(separator: "\n"))
    }

    /// Returns the triggers for deny rules, one for each relationship, because RAISE accepts only a literal message before SQLite
    /// 3.47.
    private func denials(of event: String, _ name: String, when condition: String?) -> [Trigger] {
        let action = condition == nil ? "delete" : "change the identifier of"
        return layout.incoming(table.entity).filter { $0.rule.deleteRule == .deny }.map { _, child, column in
            let others = child.entity == table.entity ? " AND roost_c.\"id\" IS NOT OLD.\"id\"" : ""
            let message =
                "Cannot \(action) this \(table.name.lowercased()): a \(child.name.lowercased()) refers to it as its "
                + "\(column.name). Delete that one, or give it another \(column.name), first."
            return trigger(
                "\(kind(name))_\(child.entity)_\(column.property)", "BEFORE \(event)",
                when: all(condition, Self.isUsers, isHiddenByRule.map { "NOT \($0)" }),
                """
                SELECT RAISE(ABORT, \(SQLName.literal(message)))
                  WHERE EXISTS (SELECT 1 FROM \(child.visible) AS roost_c WHERE \(SQLName.column(column.name, of: "roost_c")) = OLD."id"\(others));
                """)
        }
    }

    /// The trigger that applies the delete rules to the children of a deleted record. The children's own triggers apply them one
    /// level down.
    private var cascade: Trigger? {
        var before: [String] = []
        var effects: [String] = []
        for (rule, child, column) in layout.incoming(table.entity) {
            switch rule.deleteRule {
            // A statement that deletes parent and child would miss the child's own delete if this trigger removed the child's row
            // first. The children of a hierarchy are hidden when the delete is settled.
            case .cascade where child.entity == table.entity: break
            case .cascade:
                before.append(copyToHidden(child, column))
                effects.append("DELETE FROM \(child.visible) WHERE \(isReferrer(child, column));")
            case .nullify, .deny:
                before.append(keepReference(child, column))
                effects.append(
                    "UPDATE \(child.visible) SET \(column.quoted) = NULL WHERE \(isReferrer(child, column));")
            case .noAction: break
            }
        }
        guard !effects.isEmpty else { return nil }
        let begin = "INSERT INTO roost_rule(n, entity, id) VALUES (random(), \(table.entity), OLD.\"id\");"
        let end = "DELETE FROM roost_rule WHERE roost_rule.n = last_insert_rowid();"
        return trigger(
            kind("cascade"), "AFTER DELETE", when: Self.isUsers,
            (before + [begin] + effects + [end]).joined(separator: "\n"))
    }

    /// Returns the condition for rows of a child's table that refer to the deleted record.
    private func isReferrer(_ child: EntityTable, _ column: EntityTable.Column) -> String {
        guard ["old", "new"].contains(child.table) else {
            return "\(SQLName.column(column.name, of: child.visible)) = OLD.\"id\""
        }
        // Directly in the statement, OLD names the table. In a subquery, it names the deleted row.
        return """
            \(SQLName.column("id", of: child.visible)) IN
              (SELECT roost_c."id" FROM \(child.visible) AS roost_c WHERE \(SQLName.column(column.name, of: "roost_c")) = OLD."id")
            """
    }

    private func copyToHidden(_ child: EntityTable, _ column: EntityTable.Column) -> String {
        let isHeld = layout.incoming(child.entity).contains { $0.rule.deleteRule == .deny }
        let deleted =
            isHeld
            ? "(SELECT count(*) FROM roost_kept AS k WHERE k.entity = \(child.entity) AND k.id = roost_c.\"id\")" : "0"
        return """
            INSERT INTO \(child.hidden)(\(child.keptList), roost_deleted)
              SELECT \(child.keptList(of: "roost_c")), \(deleted) FROM \(child.visible) AS roost_c
              WHERE \(SQLName.column(column.name, of: "roost_c")) = OLD."id"
              \(upsertHidden(child, deleted: "excluded.roost_deleted"));
            """
    }

    /// Returns the statement that stores the references to the deleted record, which are masked from now on.
    private func keepReference(_ child: EntityTable, _ column: EntityTable.Column) -> String {
        """
        INSERT INTO roost_raw(entity, id, relationship, target)
          SELECT \(child.entity), roost_c."id", \(column.property), OLD."id" FROM \(child.visible) AS roost_c
          WHERE \(SQLName.column(column.name, of: "roost_c")) = OLD."id"
          ON CONFLICT(entity, id, relationship) DO UPDATE SET target = excluded.target;
        """
    }

    // MARK: Rows that a user trigger writes during their delete

    /// The trigger that repeats an update in the hidden table. A user trigger before a delete may write the row after a delete
    /// rule, or the trigger of its delete, has copied it. A row without a copy is not affected.
    private var lastEdit: Trigger? {
        guard table.additions.hasTriggers else { return nil }
        let columns = table.keptColumns.dropFirst()
        let values = columns.map { "\(SQLName.quoted($0)) = \(SQLName.column($0, of: "NEW"))" }
        guard !values.isEmpty else { return nil }
        return trigger(
            kind("last"), "AFTER UPDATE", when: Self.isUsers,
            "UPDATE \(table.hidden) SET \(values.joined(separator: ", ")) WHERE \(table.hidden).\"id\" = NEW.\"id\";")
    }

    // MARK: Rows that another row replaces

    /// The triggers for rows that SQLite deletes because of a user's unique index, without running a trigger for them. Before the
    /// write, such rows are copied and marked as if they were deleted. A row that stays is not harmed by this.
    private var evictions: [Trigger] {
        table.additions.uniqueIndexes.enumerated().flatMap { number, index in
            ["INSERT", "UPDATE"].map { event in eviction(index, number, event) }
        }
    }

    private func eviction(_ index: UserAdditions.UniqueIndex, _ number: Int, _ event: String) -> Trigger {
        let own = event == "INSERT" ? "NEW" : "OLD"
        let isAlike = index.terms.map { term in
            let column = SQLName.column(term.column, of: "roost_o")
            return "\(column) = \(SQLName.column(term.column, of: "NEW")) COLLATE \(SQLName.quoted(term.collation))"
        }
        let condition = (isAlike + ["roost_o.\"id\" IS NOT \(own).\"id\""]).joined(separator: " AND ")
        let others = "FROM \(table.visible) AS roost_o WHERE \(condition)"
        let body =
            index.isOpaque
            // Only an expression of the index decides which rows are equal, so all rows of the entity are compared with their
            // facts.
            ? "INSERT INTO roost_mark(entity, id, at) VALUES (\(table.entity), NULL, \(SQLClock.julianDay));"
            : """
            INSERT INTO \(table.hidden)(\(table.keptList), roost_deleted)
              SELECT \(table.keptList(of: "roost_o")), 1 \(others) \(upsertHidden(table, deleted: "1"));
            INSERT INTO roost_mark(entity, id, at, deletes) SELECT \(table.entity), roost_o."id", \(SQLClock.julianDay), 1 \(others);
            """
        return trigger(
            "\(kind("evict"))_\(number)_\(event.lowercased())", "BEFORE \(event)", when: Self.isUsers, body)
    }
}
