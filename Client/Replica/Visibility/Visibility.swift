internal import GRDB
internal import RoostMerge
internal import RoostModel

/// An update of the tables to what the facts demand, after slots of records changed.
struct Visibility {
    let rows: RowStore
    let stamps: EffectiveStamps
    private let refusals: Refusals

    init(rows: RowStore, stamps: EffectiveStamps) {
        self.rows = rows
        self.stamps = stamps
        refusals = Refusals(rows)
    }

    private var database: Database { rows.database }
    private var layout: Layout { rows.layout }

    /// The effects on records other than the changed ones.
    struct Effects {
        var shown: [RecordKey] = []
        var hidden: [RecordKey] = []
        /// The number of records that were to be shown, and are set aside because their table refuses them.
        var unfit = 0
        /// The number of records that were set aside and fit again.
        var takenBack = 0
        /// The numbers of other records that earlier parts of the changes have shown and hidden.
        private var earlier = (shown: 0, hidden: 0)

        var shownCount: Int { earlier.shown + shown.count }
        var hiddenCount: Int { earlier.hidden + hidden.count }

        /// Adds the effects of a further part of the changes.
        ///
        /// - Parameter changed: The changed records of all parts.
        fileprivate mutating func add(_ more: Effects, except changed: Set<RecordKey>) {
            earlier.shown += more.shown.count { !changed.contains($0) }
            earlier.hidden += more.hidden.count { !changed.contains($0) }
            unfit += more.unfit
            takenBack += more.takenBack
        }
    }

    /// Shows, hides and masks rows as the changed slots and the delete rules demand.
    ///
    /// - Parameters:
    ///   - changes: Every record whose slots changed; the last entry of a record counts.
    ///   - occupancy: The current occupancy, where it is known.
    ///   - moving: Called before rows are written, where any may have to be.
    @discardableResult
    func update(
        _ changes: [ChangedRecord], knowing occupancy: TableOccupancy = .unknown, moving: () throws -> Void = {}
    ) throws -> Effects {
        guard changes.count > ChangesInTurns.changesAtOnce else {
            return try updateAtOnce(changes, knowing: occupancy, moving: moving)
        }
        let turns = ChangesInTurns(changes, layout)
        var (all, occupancy) = (Effects(), occupancy)
        try turns.forEach { part in
            let more = try updateAtOnce(part, knowing: occupancy, moving: moving)
            all.add(more, except: turns.keys)
            occupancy = .unknown
            rows.recordMoves()
        }
        return all
    }

    private func updateAtOnce(
        _ changes: [ChangedRecord], knowing occupancy: TableOccupancy, moving: () throws -> Void
    ) throws -> Effects {
        // The next read of an unreadable file reports it.
        assert(
            (try? TableOccupancy(database, layout)).map { occupancy.holds(where: $0) } ?? true,
            "A table that is said to be empty is not.")
        let known = try occupancy.hidesNothing == nil ? TableOccupancy(database, layout) : occupancy
        let changes = try QuietChanges(rows: rows, known).without(changes)
        let changed = changes.mapValues(\.own)
        let references = changes.compactMapValues(\.references)
        guard !changed.isEmpty else { return Effects() }
        try moving()
        let source = try ReplicaLivenessSource(rows: rows, stamps: stamps, own: changed, references: references)
        let result = try LivenessUpdate.run(changed: Set(changed.keys), rules: layout.rules, source: source)
        var effects = Effects()
        var moves = RowMoves(database: database, layout: layout, refusals: refusals)
        for key in result.hidden {
            let isDeleted = try source.own(key) == .deleted
            if try source.isVisible(key) {
                try moves.hide(key, isDeleted: isDeleted)
                if changed[key] == nil { effects.hidden.append(key) }
            } else if changed[key] != nil {
                try moves.mark(key, isDeleted: isDeleted)
            }
        }
        // Where nothing is hidden, shown records are in the visible table already.
        for key in result.shown where !source.hidesNothing(of: key.entity) {
            if changed[key] != nil {
                moves.showIfHidden(key)
            } else if try !source.isVisible(key) {
                try moves.show(key)
                effects.shown.append(key)
            }
        }
        for family in source.families {
            let isMoved = family.place == .visible ? result.hidden : result.shown
            if isMoved.contains(family.target) { moves.add(family) }
        }
        try moves.finish()
        if layout.rules.usesDeny { try RecordKeyTable.kept.replace(with: result.kept, database) }
        try maskReferences(to: moves.moved.union(changed.keys), result)
        try maskOutgoing(of: moves.moved.union(changed.keys).union(result.shown), result)
        if !layout.rules.treeEntities.isEmpty { try cutTrees(result, changed: Set(changed.keys)) }
        return refusals.isEmpty ? effects : try setAside(refusals.all, effects)
    }

    /// Sets aside the rows that a table refuses, like content that does not fit the schema. Neither they nor their cascade
    /// children are shown.
    private func setAside(_ refused: [Refusals.Refused], _ effects: Effects) throws -> Effects {
        for record in refused {
            try rows.setAside(record.put, of: record.key, reason: record.reason, isIrregular: record.isIrregular)
        }
        let more = try Visibility(rows: rows, stamps: stamps).update(
            refused.map { ChangedRecord(key: $0.key, own: .absent) })
        let keys = Set(refused.map(\.key))
        var all = effects
        all.shown = effects.shown.filter { !keys.contains($0) && !more.hidden.contains($0) } + more.shown
        all.hidden += more.hidden.filter { !effects.shown.contains($0) }
        all.unfit += refused.count + more.unfit
        return all
    }

    // MARK: Masked references

    /// Masks and unmasks references to records that were shown or hidden. A nullify or deny reference is masked while its target
    /// is not visible.
    private func maskReferences(to targets: @autoclosure () -> Set<RecordKey>, _ result: LivenessUpdate.Result) throws {
        let masking = layout.tables.map(\.entity).filter { entity in
            layout.incoming(entity).contains { $0.rule.deleteRule == .nullify || $0.rule.deleteRule == .deny }
        }
        guard !masking.isEmpty else { return }
        for (entity, keys) in Dictionary(grouping: targets(), by: \.entity) {
            for (rule, table, column) in layout.incoming(entity)
            where rule.deleteRule == .nullify || rule.deleteRule == .deny {
                for key in keys {
                    if result.shown.contains(key) {
                        try unmask(rule, table, column, target: key.id)
                    } else if result.hidden.contains(key) {
                        try mask(rule, table, column, target: key.id)
                    }
                }
            }
        }
    }

    private func mask(
        _ rule: ReferenceRules.Rule, _ table: EntityTable, _ column: EntityTable.Column, target: RecordID
    ) throws {
        let keep = try database.query(
            """
            INSERT OR REPLACE INTO roost_raw(entity, id, relationship, target)
            SELECT \(rule.entity), id, \(rule.relationship), ?1 FROM \(table.visible) WHERE \(column.quoted) = ?1
            """)
        keep.bind(1, target)
        try keep.run()
        guard database.changesCount > 0 else { return }
        rows.recordMasks()
        try set(column, of: table, in: table.visible, to: nil, where: "\(column.quoted) = ?1", target)
    }

    private func unmask(
        _ rule: ReferenceRules.Rule, _ table: EntityTable, _ column: EntityTable.Column, target: RecordID
    ) throws {
        let masked = "entity = \(rule.entity) AND relationship = \(rule.relationship) AND target = ?1"
        for place in [table.visible, table.hidden] {
            // The `+` makes SQLite search by identifier. By the index of the column, it would scan all rows without a reference
            // for each target.
            let isMasked = "+\(column.quoted) IS NULL AND id IN (SELECT id FROM roost_raw WHERE \(masked))"
            try set(column, of: table, in: place, to: target, where: isMasked, target)
        }
        let forget = try database.query("DELETE FROM roost_raw WHERE \(masked)")
        forget.bind(1, target)
        try forget.run()
    }

    /// Masks and unmasks the references of changed and shown records.
    private func maskOutgoing(of keys: @autoclosure () -> Set<RecordKey>, _ result: LivenessUpdate.Result) throws {
        guard layout.tables.contains(where: { !$0.maskable.isEmpty }) else { return }
        for key in keys() where result.shown.contains(key) {
            if let table = layout[key.entity], !table.maskable.isEmpty { try maskOutgoing(key, table) }
        }
    }

    private func maskOutgoing(_ key: RecordKey, _ table: EntityTable) throws {
        let stored = try rows.references(of: key)
        for (column, rule) in table.maskable {
            guard let reference = stored.first(where: { $0.relationship == column.property }) else { continue }
            let target = RecordKey(entity: rule.destination, id: reference.target)
            let isVisible = try rows.place(of: target) == .visible
            try set(column, of: key, in: table, to: reference.target, isMasked: !isVisible)
        }
    }

    private func cutTrees(_ result: LivenessUpdate.Result, changed: Set<RecordKey>) throws {
        let before = try RecordKeyTable.dropped.all(database)
        for key in before.union(result.dropped).union(changed) {
            guard let table = layout[key.entity],
                let column = table.references.first(where: { $0.rule?.isTree == true }),
                let stored = try rows.references(of: key).first(where: { $0.relationship == column.property })
            else { continue }
            try set(column, of: key, in: table, to: stored.target, isMasked: result.dropped.contains(key))
        }
        try RecordKeyTable.dropped.replace(with: result.dropped, database)
    }

    private func set(
        _ column: EntityTable.Column, of key: RecordKey, in table: EntityTable, to target: RecordID, isMasked: Bool
    ) throws {
        if isMasked { try rows.mask(column.property, of: key, target: target) }
        for place in [table.visible, table.hidden] {
            try set(
                column, of: table, in: place, to: isMasked ? nil : target,
                where: "id = ?1 AND \(column.quoted) IS NOT ?2", key.id)
        }
        // The masked reference is kept until the row holds it.
        if !isMasked { try rows.unmask(column.property, of: key) }
    }

    /// Sets a column in all rows that `condition` selects, where the table accepts the value. `?1` is `id`.
    private func set(
        _ column: EntityTable.Column, of table: EntityTable, in place: String, to target: RecordID?,
        where condition: String, _ id: RecordID
    ) throws {
        func set(where condition: String, _ id: RecordID) throws {
            func query(_ sql: String) throws -> Query {
                let query = try database.query(sql)
                query.bind(1, id)
                if let target { query.bind(2, target) } else { query.bindNull(2) }
                return query
            }
            _ = try UserTriggers.guarding(database, setting: column.name, isDone: { $0 }) {
                try query("UPDATE \(place) SET \(column.quoted) = ?2 WHERE \(condition)").run()
                // A user trigger may have skipped a row.
                guard table.additions.hasTriggers else { return true }
                let left = try query("SELECT 1 FROM \(place) WHERE (\(condition)) AND \(column.quoted) IS NOT ?2")
                return try left.first { _ in false } ?? true
            }
        }
        func selected(_ condition: String) throws -> [RecordID] {
            let selected = try database.query("SELECT id FROM \(place) WHERE \(condition)")
            selected.bind(1, id)
            if condition.contains("?2") { if let target { selected.bind(2, target) } else { selected.bindNull(2) } }
            return try selected.all { $0.id(0) }.compactMap(\.self)
        }
        var left: [RecordID] = []
        do {
            try set(where: condition, id)
            // A user trigger may have removed a row before the statement reached it. The row has been restored since.
            if table.additions.hasTriggers { left = try selected("(\(condition)) AND \(column.quoted) IS NOT ?2") }
        } catch let error as DatabaseError where RowStore.isRefusal(error) {
            left = try selected(condition)
        }
        for id in left {
            do {
                try set(where: "id = ?1", id)
            } catch let error as DatabaseError where RowStore.isRefusal(error) {
                try refusals.note(RecordKey(entity: table.entity, id: id), error)
            }
        }
    }
}
