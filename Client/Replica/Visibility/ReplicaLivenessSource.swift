internal import GRDB
internal import RoostMerge
internal import RoostModel

/// The replica's tables as the source of a ``LivenessUpdate``.
///
/// The tables are right for all records but those whose slots just changed. The own state of a changed record comes from its
/// slots, and the caller passes it in.
final class ReplicaLivenessSource: LivenessSource {
    private let rows: RowStore
    private let stamps: EffectiveStamps
    /// The own state of the records whose slots changed.
    private let given: [RecordKey: OwnState]
    private let givenReferences: [RecordKey: [Put.Reference]]
    /// The cached findings, by record.
    private var findings: [RecordKey: Finding] = [:]
    /// The large sets of referrers found so far. Each set contains all rows of its table that refer to one target.
    private(set) var families: Set<RowFamily> = []
    private let givenEntities: Set<EntityID>
    private let kept: Set<RecordKey>
    private let hiddenIsEmpty: Set<EntityID>
    private let hasMasks: Bool

    /// The location and the references of a record, by the tables.
    private struct Finding {
        var place: RowStore.Place
        /// The references of a record that did not change.
        var references: [Put.Reference]?
    }

    /// Makes a source for one update.
    ///
    /// - Parameters:
    ///   - own: The own state of every record whose slots changed.
    ///   - references: The stored references of changed records, as far as the caller has them.
    init(
        rows: RowStore, stamps: EffectiveStamps, own: [RecordKey: OwnState], references: [RecordKey: [Put.Reference]]
    ) throws {
        self.rows = rows
        self.stamps = stamps
        given = own
        givenEntities = Set(own.keys.map(\.entity))
        givenReferences = references
        kept = rows.layout.rules.usesDeny ? try RecordKeyTable.kept.all(rows.database) : []
        hasMasks = try !rows.database.isEmpty("roost_raw")
        hiddenIsEmpty = Set(
            try rows.layout.tables.filter { try rows.database.isEmpty($0.hidden) }.map(\.entity))
    }

    /// Whether no record of an entity was hidden when the update started.
    func hidesNothing(of entity: EntityID) -> Bool { hiddenIsEmpty.contains(entity) }

    func own(_ key: RecordKey) throws -> OwnState {
        let finding = findings[key]
        if finding?.references == nil, let state = given[key] { return state }
        return switch try finding?.place ?? place(key) {
        case .visible: kept.contains(key) ? .deleted : .put
        case .hidden(let isDeleted): isDeleted ? .deleted : .put
        case .nowhere: .absent
        }
    }

    func references(_ key: RecordKey) throws -> [Put.Reference] {
        if let references = findings[key]?.references ?? givenReferences[key] { return references }
        return try rows.references(of: key)
    }

    func putStamp(_ key: RecordKey) throws -> HybridTimestamp? {
        try stamps.of(key).put
    }

    func isVisible(_ key: RecordKey) throws -> Bool {
        try place(key) == .visible
    }

    func referrers(
        _ target: RecordKey, by rule: ReferenceRules.Rule, _ filter: ReferrerFilter
    ) throws -> [Referrer] {
        guard let table = rows.layout[rule.entity], let column = table.column(of: rule.relationship) else { return [] }
        var found: [Referrer] = []
        if filter != .notVisible { found += try visibleReferrers(target, table, column) }
        if filter != .visible, !hiddenIsEmpty.contains(rule.entity) {
            found += try hiddenReferrers(target, table, column)
        }
        if hasMasks, rule.isMaskable { found += try maskedReferrers(target, rule, filter) }
        // Changed records are judged by their slots, and by the references of their current put.
        if givenEntities.contains(rule.entity) {
            found = found.map { Referrer(key: $0.key, isPut: given[$0.key].map { $0 == .put } ?? $0.isPut) }
        }
        return filter == .ownPut ? found.filter(\.isPut) : found
    }

    func keptRecords() throws -> [RecordKey] { Array(kept) }

    func droppedRecords() throws -> [RecordKey] {
        Array(try RecordKeyTable.dropped.all(rows.database))
    }

    private func place(_ key: RecordKey) throws -> RowStore.Place {
        if let place = findings[key]?.place { return place }
        let place = try rows.place(of: key)
        findings[key] = Finding(place: place)
        return place
    }

    private func visibleReferrers(
        _ target: RecordKey, _ table: EntityTable, _ column: EntityTable.Column
    ) throws -> [Referrer] {
        let query = try rows.database.query("SELECT id FROM \(table.visible) WHERE \(column.quoted) = ?")
        query.bind(1, target.id)
        let found = try keys(query, table)
        learn(found.map { ($0, .visible) }, target, table, column)
        recordFamily(.visible, table, column, target, count: found.count)
        return found.map { Referrer(key: $0, isPut: !kept.contains($0)) }
    }

    private func hiddenReferrers(
        _ target: RecordKey, _ table: EntityTable, _ column: EntityTable.Column
    ) throws -> [Referrer] {
        let query = try rows.database.query("SELECT id, roost_deleted FROM \(table.hidden) WHERE \(column.quoted) = ?")
        query.bind(1, target.id)
        let found = try query.all { row in
            row.id(0).map { Referrer(key: RecordKey(entity: table.entity, id: $0), isPut: row.integer(1) == 0) }
        }.compactMap { $0 }
        learn(found.map { ($0.key, .hidden(isDeleted: !$0.isPut)) }, target, table, column)
        recordFamily(.hidden, table, column, target, count: found.count)
        guard givenEntities.contains(table.entity) else { return found }
        // A changed record that was restored is in the visible table. Its hidden row, with old references, is still to be
        // removed.
        return try found.filter { try given[$0.key] == nil || !isVisible($0.key) }
    }

    private func maskedReferrers(
        _ target: RecordKey, _ rule: ReferenceRules.Rule, _ filter: ReferrerFilter
    ) throws -> [Referrer] {
        let query = try rows.database.query(
            "SELECT id FROM roost_raw WHERE entity = ? AND relationship = ? AND target = ?")
        query.bind(1, rule.entity.rawValue)
        query.bind(2, rule.relationship.rawValue)
        query.bind(3, target.id)
        return try query.all { $0.id(0) }.compactMap { id in
            guard let id else { return nil }
            let key = RecordKey(entity: rule.entity, id: id)
            let isVisible = try isVisible(key)
            if filter == .visible, !isVisible { return nil }
            if filter == .notVisible, isVisible { return nil }
            return Referrer(key: key, isPut: try own(key) == .put)
        }
    }

    /// Caches the location and the reference of all referrers of a record, so that none of them is looked up again.
    ///
    /// Plain path: each referrer is looked up. `FamilyMovesTests` compares the rows with `VisibleState`.
    private func learn(
        _ referrers: [(key: RecordKey, place: RowStore.Place)], _ target: RecordKey, _ table: EntityTable,
        _ column: EntityTable.Column
    ) {
        // A few referrers are looked up as quickly. With other references alongside this one, the row has to be read anyway.
        guard referrers.count > 16, table.references.count == 1 else { return }
        let references = [Put.Reference(relationship: column.property, target: target.id)]
        findings.reserveCapacity(findings.count + referrers.count)
        // A changed record may be in both tables.
        let isAnyGiven = givenEntities.contains(table.entity)
        for (key, place) in referrers where !isAnyGiven || given[key] == nil {
            findings[key] = Finding(place: place, references: references)
        }
    }

    /// Records a large set of referrers that may move as a whole. The location of each depends on the target alone, unless its
    /// own delete is the reason, or the delete of a record that holds it.
    private func recordFamily(
        _ place: RowFamily.Place, _ table: EntityTable, _ column: EntityTable.Column, _ target: RecordKey, count: Int
    ) {
        guard count >= RowMoves.bulkMin, !givenEntities.contains(table.entity), kept.isEmpty,
            let rule = column.rule, rule.deleteRule == .cascade, !rule.isTree,
            table.references.count(where: { $0.rule?.deleteRule == .cascade }) == 1
        else { return }
        families.insert(
            RowFamily(place: place, entity: table.entity, relationship: column.property, target: target))
    }

    private func keys(_ query: Query, _ table: EntityTable) throws -> [RecordKey] {
        try query.all { $0.id(0) }.compactMap { $0.map { RecordKey(entity: table.entity, id: $0) } }
    }
}
