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

    /// - Parameter occupancy: As it is now.
    init(rows: RowStore, _ occupancy: TableOccupancy) {
        self.rows = rows
        hidesNothing = occupancy.hidesNothing ?? []
        hasMasks = occupancy.hasMasks
    }

    /// The changes that have to be looked at, the last one of each record.
    func without(_ changes: [ChangedRecord]) throws -> [RecordKey: ChangedRecord] {
        var rest: [RecordKey: ChangedRecord] = [:]
        guard try mayBeQuiet() else {
            for change in changes { rest[change.key] = change }
            return rest
        }
        var visible = VisibleTargets(rows: rows)
        var entity: (id: EntityID, traits: Traits)?
        for change in changes {
            // Records of one entity mostly come together.
            let traits =
                if let entity, entity.id == change.key.entity { entity.traits } else { traits(change.key.entity) }
            entity = (change.key.entity, traits)
            if try !isQuiet(change, traits, &visible) { rest[change.key] = change }
        }
        // An earlier change of the same record may have been the one to look at.
        if !rest.isEmpty { for change in changes where rest[change.key] != nil { rest[change.key] = change } }
        return rest
    }

    /// What holds for all records of one entity.
    private struct Traits {
        /// Whether no record is hidden that could come back with one of this entity.
        var holdsNothingBack: Bool
        var hidesNothing: Bool
        /// The references that can keep a record from being visible.
        var rules: [ReferenceRules.Rule]
    }

    private func traits(_ entity: EntityID) -> Traits {
        let rules = rows.layout.rules
        return Traits(
            holdsNothingBack: rows.layout[entity] != nil
                && (rules.incoming[entity] ?? []).allSatisfy { hidesNothing.contains($0.entity) },
            hidesNothing: hidesNothing.contains(entity),
            rules: (rules.outgoing[entity] ?? []).filter { $0.deleteRule != .noAction })
    }

    /// A reference that denies, or a hierarchy, can make any record matter to another.
    private func mayBeQuiet() throws -> Bool {
        #if ROOST_SEEDED_BUGS
            if SeededBug.earlyOutWithoutDeny.isOn { return true }
        #endif
        return rows.layout.rules.visibleIsPut && !hasMasks
    }

    private func isQuiet(_ change: ChangedRecord, _ traits: Traits, _ visible: inout VisibleTargets) throws -> Bool {
        guard change.own == .put, traits.holdsNothingBack else { return false }
        // Also one that is visible and hidden: it came back, and its old row is still to go.
        if !traits.hidesNothing, try rows.placeToWrite(change.key) != .visible { return false }
        guard !traits.rules.isEmpty else { return true }
        for reference in try change.references ?? rows.references(of: change.key) {
            guard let rule = traits.rules.first(where: { $0.relationship == reference.relationship }) else { continue }
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
