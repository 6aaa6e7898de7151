internal import GRDB
internal import Replica
internal import RoostModel

extension ObjectContext {
    /// Takes in what other contexts, programs and devices have saved, for all objects that are alive.
    ///
    /// Unsaved edits stay, but where the policy is ``MergePolicy/takeTheirs`` and both sides changed a property. What is in
    /// conflict is decided, and reported, by the next save.
    ///
    /// Live results show it with ``deliverChanges()``. ``followChanges(isolation:)`` does both whenever somebody writes.
    ///
    /// - Throws: ``ObjectError`` with the code `store`; objects that were read before the failure are refreshed.
    @discardableResult
    public func refresh() throws -> RefreshReport {
        noteUndeliveredUnknown(from: ChangeOrigin.others)
        return try refresh(registeredObjects, from: ChangeOrigin.others, isSeen: true)
    }

    /// As ``refresh()``, for some objects.
    @discardableResult
    public func refresh(_ objects: [ManagedObject]) throws -> RefreshReport {
        try refresh(objects, from: ChangeOrigin.others, isSeen: true)
    }

    /// - Parameters:
    ///   - origins: Who may have written what is taken in.
    ///   - isSeen: Whether the user asked for it, and so sees what others wrote: ``MergePolicy/ask`` does not ask again.
    @discardableResult
    func refresh(
        _ objects: [ManagedObject], from origins: Set<ChangeOrigin>, isSeen: Bool = false
    ) throws -> RefreshReport {
        var report = RefreshReport()
        guard !objects.isEmpty else { return report }
        // Others' changes are told by the store; what a refresh makes of unsaved edits is not.
        if !changed.isEmpty { prepareResults() }
        let known = objects.filter { $0.context === self && $0.state != .inserted }
        let groups = Dictionary(grouping: known) { ObjectGroup(entity: $0.objectID.entity, store: $0.objectID.store) }
        for (group, members) in groups {
            let rows = try storedRows(of: members.map(\.objectID), group)
            for object in members { refresh(object, rows[object.objectID.record], isSeen: isSeen, &report) }
        }
        forgetRelationships()
        for id in report.changed.union(report.gone) { noteUndelivered(id, from: origins) }
        return report
    }

    private struct ObjectGroup: Hashable {
        let entity: EntityID
        let store: StoreID
    }

    private func refresh(
        _ object: ManagedObject, _ theirs: [Value]?, isSeen: Bool, _ report: inout RefreshReport
    ) {
        let id = object.objectID
        guard let theirs else {
            if object.state != .gone { report.gone.insert(id) }
            // Edits are kept for the save to decide on.
            if !object.hasChanges { object.state = .gone }
            return
        }
        let before = object.values
        let wasGone = object.state == .gone
        if wasGone { object.state = .unchanged }
        if object.state == .deleted, mergePolicy == .ask, isSeen { object.committed = theirs }
        if object.isUpdated {
            mergeEdits(of: object, theirs, isSeen: isSeen)
        } else if object.state == .unchanged {
            object.values = theirs
            forgetEdits(of: object)
        }
        if wasGone || object.values != before { report.changed.insert(id) }
    }

    /// Puts edits on top of what is there now. Where both sides changed a property and mine stay, or it is asked, the save sees
    /// what it was edited from.
    private func mergeEdits(of object: ManagedObject, _ theirs: [Value], isSeen: Bool) {
        guard let base = object.committed else { return }
        var values = theirs
        var committed = theirs
        for index in values.indices where object.values[index] != base[index] && object.values[index] != theirs[index] {
            let isContested = base[index] != theirs[index]
            if isContested, mergePolicy == .takeTheirs { continue }
            values[index] = object.values[index]
            // Whoever asks has seen theirs now, and saves mine knowing it.
            if isContested, mergePolicy != .ask || !isSeen { committed[index] = base[index] }
        }
        object.values = values
        object.committed = committed
    }

    /// The columns of records as the layer below has them: the parent, with what it has not saved, or the store.
    private func storedRows(of ids: [ObjectID], _ group: ObjectGroup) throws -> [RecordID: [Value]] {
        guard let layout = model[group.entity] else { return [:] }
        var pending = parent?.pendingChanges(in: group.store) ?? PendingChanges()
        for (id, values) in returning where id.store == group.store { pending.put(id, values) }
        return try coordinator.store(group.store).backend.read("refresh \(layout.name)") { database in
            try PendingOverlay(database: database, model: model, pending: pending, asWritten: false).over { database in
                var rows: [RecordID: [Value]] = [:]
                try database.query(ids.map(\.record)) { marks in
                    "SELECT \(layout.columnList("t0")) FROM \(layout.table) AS t0 WHERE t0.id IN (\(marks))"
                } read: { row in
                    if let id = row.id(0) { rows[id] = row.values(from: 1, as: layout.kinds) }
                }
                return rows
            }
        }
    }
}
