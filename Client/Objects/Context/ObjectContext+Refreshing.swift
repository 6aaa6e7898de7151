internal import GRDB
internal import Replica
internal import RoostModel

extension ObjectContext {
    /// Applies the changes that other contexts, programs and devices have saved, to all objects that are alive and to all live
    /// results. A context with live results does so by itself, except that ``MergePolicy/ask`` asks again.
    ///
    /// Unsaved edits stay, unless the policy is ``MergePolicy/takeTheirs`` and both sides changed a property. The next save
    /// decides and reports conflicts.
    ///
    /// - Throws: ``ObjectError`` with the code `store`. Objects that were read before the failure are refreshed.
    @discardableResult
    public func refresh() throws -> RefreshReport {
        guard checks != nil else { return try refresh(registeredObjects, from: ChangeOrigin.others, isSeen: true) }
        try coordinator.hub.check(coordinator.stores)
        guard originsOfMissed().origins.isEmpty else { return try takeEverything(from: [], isSeen: true).report }
        return try refreshSeen(registeredObjects)
    }

    /// Applies saved changes of others to some objects, as ``refresh()`` does for all. Where the context has live results, all its
    /// objects and lists get the changes that they do not have yet.
    @discardableResult
    public func refresh(_ objects: [ManagedObject]) throws -> RefreshReport {
        let report = try refreshSeen(objects)
        try catchUp()
        return report
    }

    /// Refreshes objects as the user requested it. Live results are brought up to date by other means.
    private func refreshSeen(_ objects: [ManagedObject]) throws -> RefreshReport {
        let waiting = (undelivered, undeliveredOrigins)
        defer { (undelivered, undeliveredOrigins) = waiting }
        return try refresh(objects, from: ChangeOrigin.others, isSeen: true)
    }

    /// Refreshes objects from the store.
    ///
    /// - Parameters:
    ///   - origins: The possible origins of the applied changes.
    ///   - isSeen: Whether the user requested the refresh, and so sees the changes of others; ``MergePolicy/ask`` then does not
    ///     ask again.
    @discardableResult
    func refresh(
        _ objects: [ManagedObject], from origins: Set<ChangeOrigin>, isSeen: Bool = false
    ) throws -> RefreshReport {
        var report = RefreshReport()
        guard !objects.isEmpty else { return report }
        // The store posts the changes of others itself. Unsaved edits that a refresh alters are not posted, so live results read
        // their rows first.
        if !changed.isEmpty { prepareResults() }
        let known = objects.filter { $0.context === self && $0.state != .inserted }
        let groups = Dictionary(grouping: known) { ObjectGroup(entity: $0.objectID.entity, store: $0.objectID.store) }
        for (group, members) in groups {
            let rows = try storedRows(of: members.map(\.objectID), group)
            for object in members { refresh(object, rows[object.objectID.record], isSeen: isSeen, &report) }
        }
        forgetRelationships()
        for id in report.changed.union(report.gone) { recordUndelivered(id, from: origins) }
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
            // Edits are kept, and the save decides on them.
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

    /// Merges edits into the current values of the store. Where both sides changed a property and the edit stays, or the policy
    /// is ``MergePolicy/ask``, the object keeps the value from which it was edited, so that the save detects the conflict.
    private func mergeEdits(of object: ManagedObject, _ theirs: [Value], isSeen: Bool) {
        guard let base = object.committed else { return }
        var values = theirs
        var committed = theirs
        for index in values.indices where object.values[index] != base[index] && object.values[index] != theirs[index] {
            let isContested = base[index] != theirs[index]
            if isContested, mergePolicy == .takeTheirs { continue }
            values[index] = object.values[index]
            // With ``MergePolicy/ask`` the user has seen the changes of others now, and the save writes the edit over them.
            if isContested, mergePolicy != .ask || !isSeen { committed[index] = base[index] }
        }
        object.values = values
        object.committed = committed
        pendingReferences?.noteChange(of: object.objectID)
    }

    /// Reads the columns of records from the layer below: the parent with its unsaved changes, or the store.
    private func storedRows(of ids: [ObjectID], _ group: ObjectGroup) throws -> [RecordID: [Value]] {
        guard let layout = model[group.entity] else { return [:] }
        var pending = parent?.pendingChanges(in: group.store) ?? PendingChanges()
        for (id, values) in returning where id.store == group.store { pending.put(id, values) }
        return try coordinator.store(group.store).backend.read("refresh \(layout.name)") { database in
            try PendingOverlay(database: database, model: model, pending: pending).over { database in
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
