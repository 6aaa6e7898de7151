internal import RoostMerge
internal import RoostModel

/// A filter for changed records that affect no other record and need not move: most of them.
///
/// Such a record has a put as its newest change, and is in the visible table. All records on which it depends are visible.
/// Applied on their own, ahead of the other changes, these changes leave the visible state as the tables show it. The effects of
/// the other changes on them are derived with the other changes.
///
/// Plain path: `LivenessUpdate` derives the effects of every change. `ExchangeTests` compares the rows with `VisibleState`.
struct QuietChanges {
    let rows: RowStore
    private let hidesNothing: Set<EntityID>
    private let hasMasks: Bool

    /// - Parameter occupancy: The current occupancy.
    init(rows: RowStore, _ occupancy: TableOccupancy) {
        self.rows = rows
        hidesNothing = occupancy.hidesNothing ?? []
        hasMasks = occupancy.hasMasks
    }

    /// Returns the changes from which visibility has to be derived, the last one of each record.
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
        // An earlier change of a record may be the one that is not quiet.
        if !rest.isEmpty { for change in changes where rest[change.key] != nil { rest[change.key] = change } }
        return rest
    }

    /// The properties that all records of one entity share.
    private struct Traits {
        /// Whether no record is hidden that could become visible with a record of this entity.
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

    /// Whether any change can be quiet. With a deny reference or a hierarchy, any record may affect another.
    private func mayBeQuiet() throws -> Bool {
        #if ROOST_SEEDED_BUGS
            if SeededBug.earlyOutWithoutDeny.isOn { return true }
        #endif
        return rows.layout.rules.visibleIsPut && !hasMasks
    }

    private func isQuiet(_ change: ChangedRecord, _ traits: Traits, _ visible: inout VisibleTargets) throws -> Bool {
        guard change.own == .put, traits.holdsNothingBack else { return false }
        // A record may have a visible and a hidden row: it was restored, and its hidden row is still to be removed.
        if !traits.hidesNothing, try rows.placeToWrite(change.key) != .visible { return false }
        guard !traits.rules.isEmpty else { return true }
        for reference in try change.references ?? rows.references(of: change.key) {
            guard let rule = traits.rules.first(where: { $0.relationship == reference.relationship }) else { continue }
            guard try visible.contains(RecordKey(entity: rule.destination, id: reference.target)) else { return false }
        }
        return true
    }
}

/// A cache of which records are in the visible tables.
private struct VisibleTargets {
    let rows: RowStore
    private var known: [RecordKey: Bool] = [:]
    private var last: RecordKey?

    init(rows: RowStore) {
        self.rows = rows
    }

    mutating func contains(_ key: RecordKey) throws -> Bool {
        // Consecutive records mostly refer to one target.
        if key == last { return true }
        if let isVisible = known[key] { return isVisible }
        let isVisible = try rows.place(of: key) == .visible
        known[key] = isVisible
        if isVisible { last = key }
        return isVisible
    }
}
