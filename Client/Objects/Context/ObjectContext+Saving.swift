internal import RoostModel

extension ObjectContext {
    /// Writes all unsaved changes: to the parent where there is one, otherwise to the stores, in one transaction for each store.
    /// The changes of one transaction arrive on other devices together.
    ///
    /// An object is valid where each value fits its property, and all of them have at most 256 KiB together: a synchronisation
    /// accepts no larger record.
    ///
    /// - Parameter label: The name of the action for the log, such as "add Dinner".
    /// - Throws: ``ObjectError`` with the code `validation` or `denied` where objects are not valid, the code of ``failure`` where
    ///   an operation has failed, `conflict` where the policy is ``MergePolicy/ask``, `store` where a store refuses. Nothing is
    ///   written to a store that failed. Of several stores, the stores before it are saved, and their objects have no changes any
    ///   more.
    @discardableResult
    public func save(_ label: String = "save") throws -> SaveReport {
        runWillSave()
        Validation(context: self, objects: changedObjects).giveUpHidden()
        let objects = changedObjects
        try Validation(context: self, objects: objects).check()
        // The edits that were lost are edits of objects that this save deletes.
        let deleted = failures.objects
        undoHistory?.closeImplicit(named: label, content)
        guard !objects.isEmpty else {
            if parent == nil { for store in coordinator.stores { try store.backend.writeUnwrittenChanges() } }
            undoHistory?.recordSave()
            return SaveReport()
        }
        prepareResults()
        if let parent {
            let report = try ParentSave(context: self, parent: parent).save(objects)
            failures.remove { deleted.contains($0.object) }
            undoHistory?.recordSave()
            return report
        }
        var report = SaveReport()
        for store in coordinator.stores {
            let own = objects.filter { $0.objectID.store == store.id }
            guard !own.isEmpty else {
                try store.backend.writeUnwrittenChanges()
                continue
            }
            let save = StoreSave(store.id, self)
            try write(to: store, label) { try save.write(own, $0) }
            save.finish(&report)
            failures.remove { deleted.contains($0.object) && $0.object.store == store.id }
            returning = returning.filter { $0.key.store != store.id }
            coordinator.hub.post(StoreChange(author: .context(id), extent: save.extent))
            if save.extent == .unknown || !save.returned.isEmpty { recordUndeliveredUnknown() }
            lookAtStore(after: save, &report)
        }
        undoHistory?.recordSave()
        pendingReferences = nil
        deliverChanges()
        return report
    }

    /// Reads the visible state of the saved objects. The save is complete, so an error is kept for the next save.
    private func lookAtStore(after save: StoreSave, _ report: inout SaveReport) {
        do {
            try save.lookAtHidden(&report)
            try save.lookAtKept(&report)
            let released = try refresh(save.released.compactMap { registeredObject($0) }, from: [.thisContext]).gone
            let isOtherwise = save.bringsBack || save.hasKept || !save.returned.isEmpty || !released.isEmpty
            try refresh(isOtherwise ? registeredObjects : save.shownOtherwise, from: [.thisContext])
        } catch {
            fail(error, "Cannot read what was saved")
        }
    }

    /// Discards all unsaved changes: new objects are gone, edited objects have their former values, deleted objects are back.
    public func rollback() {
        defer { deliverChanges() }
        prepareResults()
        if !hidden.isEmpty || !returning.isEmpty || changed.values.contains(where: { $0.state == .deleted }) {
            recordUndeliveredUnknown()
        }
        for object in changed.values {
            if object.state == .inserted { object.state = .gone }
            if object.state == .deleted { object.state = .unchanged }
            if let committed = object.committed { object.values = committed }
            recordNoChange(of: object)
        }
        hidden = [:]
        pendingReferences = nil
        undoHistory?.goBackToSave()
        failures = Failures()
        forgetRelationships()
        if !returning.isEmpty { showWhatReturns() }
    }

    /// Marks objects hidden by deletes as gone, after the deletes were saved.
    ///
    /// - Parameter returned: Objects whose delete was discarded.
    func settleHidden(in store: StoreID, butOf returned: Set<ObjectID>) {
        for (id, reason) in hidden where id.store == store {
            hidden[id] = nil
            if !returned.contains(reason) { registeredObject(id)?.state = .gone }
        }
    }

    /// Calls `willSave` for each changed object, also for objects that it changes. An object is called once, even if it changes
    /// itself each time.
    private func runWillSave() {
        var asked: Set<ObjectIdentifier> = []
        for _ in 0..<100 {
            let objects = changedObjects.filter { asked.insert(ObjectIdentifier($0)).inserted }
            let notes = recordCount
            for object in objects where !object.isDeleted { object.willSave() }
            guard recordCount != notes else { return }
        }
    }
}
