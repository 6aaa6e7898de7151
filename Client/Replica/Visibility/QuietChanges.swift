internal import RoostMerge
internal import RoostModel

/// Finds the changed records that change nothing for any other, nor need to be moved: most of them.
///
/// Such a record has a put as its newest change, is in the visible table, and all that it hangs off is visible. Taken
/// for themselves, ahead of the others, these changes leave the visible state as the tables show it; what the others do
/// to them is derived with the others.
struct QuietChanges {
    let rows: RowStore
    private let hidesNothing: Set<EntityID>
    private let hasMasks: Bool

    init(rows: RowStore) throws {
        self.rows = rows
        let tables = rows.layout.tables
        let isEmpty =
            try rows.database.query(rows.layout.emptyProbe).first { row in
                (0...tables.count).map { row.integer(Int32($0)) != 0 }
            } ?? Array(repeating: false, count: tables.count + 1)
        hidesNothing = Set(zip(tables, isEmpty).filter(\.1).map(\.0.entity))
        hasMasks = !isEmpty[tables.count]
    }

    /// The changes that have to be looked at.
    ///
    /// - Parameter references: The stored references of some of them, where they are at hand.
    func without(
        _ changed: [RecordKey: OwnState], _ references: [RecordKey: [Put.Reference]]
    ) throws -> [RecordKey: OwnState] {
        let rules = rows.layout.rules
        // A reference that denies, or a hierarchy, can make any record matter to another.
        #if ROOST_SEEDED_BUGS
            let looksAtAll = !SeededBug.earlyOutWithoutDeny.isOn
        #else
            let looksAtAll = true
        #endif
        if looksAtAll {
            guard rules.visibleIsPut, !hasMasks else { return changed }
        }
        let quiet = Set(rows.layout.tables.map(\.entity).filter(holdsNothingBack))
        var visible = VisibleTargets(rows: rows)
        return try changed.filter { key, own in
            guard own == .put, quiet.contains(key.entity) else { return true }
            // Also one that is visible and hidden: it came back, and its old row is still to go.
            if !hidesNothing.contains(key.entity), try rows.placeToWrite(key) != .visible { return true }
            return try !isHeld(key, references[key], &visible)
        }
    }

    /// Whether no record is hidden that could come back with one of this entity.
    private func holdsNothingBack(_ entity: EntityID) -> Bool {
        (rows.layout.rules.incoming[entity] ?? []).allSatisfy { hidesNothing.contains($0.entity) }
    }

    /// Whether everything is visible that a record refers to.
    private func isHeld(
        _ key: RecordKey, _ known: [Put.Reference]?, _ visible: inout VisibleTargets
    ) throws -> Bool {
        guard let rules = rows.layout.rules.outgoing[key.entity] else { return true }
        for reference in try known ?? rows.references(of: key) {
            guard let rule = rules.first(where: { $0.relationship == reference.relationship }),
                rule.deleteRule != .noAction
            else { continue }
            guard try visible.contains(RecordKey(entity: rule.destination, id: reference.target)) else { return false }
        }
        return true
    }
}

/// Which records are in the visible tables; what is asked twice is looked up once.
private struct VisibleTargets {
    let rows: RowStore
    private var known: [RecordKey: Bool] = [:]
    private var last: RecordKey?

    init(rows: RowStore) {
        self.rows = rows
    }

    mutating func contains(_ key: RecordKey) throws -> Bool {
        // Records that came together mostly refer to the same one.
        if key == last { return true }
        if let isVisible = known[key] { return isVisible }
        let isVisible = try rows.place(of: key) == .visible
        known[key] = isVisible
        if isVisible { last = key }
        return isVisible
    }
}
