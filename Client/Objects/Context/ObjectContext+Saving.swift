internal import RoostModel

extension ObjectContext {
    /// Writes all unsaved changes: to the parent where there is one, else to the stores, in one transaction for each store. What
    /// is written in one transaction arrives on other devices as a whole.
    ///
    /// - Parameter label: What is done, for the log, such as "add Dinner".
    /// - Throws: ``ObjectError`` with the code `validation` or `denied` where objects are not fit to be saved, `conflict` where
    ///   the policy is ``MergePolicy/ask``, `store` where a store refuses. Nothing is written to a store that failed; of several
    ///   stores, those before it are saved, and their objects have no changes any more.
    @discardableResult
    public func save(_ label: String = "save") throws -> SaveReport {
        runWillSave()
        if let failure {
            // Told once: what it spoiled was not changed, and the next save may go on.
            self.failure = nil
            throw failure
        }
        Validation(context: self, objects: changedObjects).giveUpHidden()
        let objects = changedObjects
        try Validation(context: self, objects: objects).check()
        undoHistory?.closeImplicit(named: label, content)
        guard !objects.isEmpty else {
            undoHistory?.noteSave()
            return SaveReport()
        }
        prepareResults()
        if let parent {
            let report = try ParentSave(context: self, parent: parent).save(objects)
            undoHistory?.noteSave()
            return report
        }
        var report = SaveReport()
        for store in coordinator.stores {
            let own = objects.filter { $0.objectID.store == store.id }
            guard !own.isEmpty else { continue }
            let save = StoreSave(store.id, self)
            try write(to: store, label) { try save.write(own, $0) }
            save.finish(&report)
            returning = returning.filter { $0.key.store != store.id }
            coordinator.hub.post(StoreChange(author: .context(id), extent: save.extent))
            if save.extent == .unknown || !save.returned.isEmpty { noteUndeliveredUnknown() }
            lookAtStore(after: save, &report)
        }
        undoHistory?.noteSave()
        deliverChanges()
        return report
    }

    /// Reads what the store shows of what was saved. The save is done: a failure is kept for the next one.
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

    /// Gives up all unsaved changes: new objects are gone, edited ones are as they were, deleted ones are back.
    public func rollback() {
        defer { deliverChanges() }
        prepareResults()
        if !hidden.isEmpty || !returning.isEmpty || changed.values.contains(where: { $0.state == .deleted }) {
            noteUndeliveredUnknown()
        }
        for object in changed.values {
            if object.state == .inserted { object.state = .gone }
            if object.state == .deleted { object.state = .unchanged }
            if let committed = object.committed { object.values = committed }
            noteNoChange(of: object)
        }
        hidden = [:]
        undoHistory?.goBackToSave()
        failure = nil
        forgetRelationships()
        if !returning.isEmpty { showWhatReturns() }
    }

    /// What deletes hid is gone with their save.
    ///
    /// - Parameter returned: Objects that are not deleted after all.
    func settleHidden(in store: StoreID, butOf returned: Set<ObjectID>) {
        for (id, reason) in hidden where id.store == store {
            hidden[id] = nil
            if !returned.contains(reason) { registeredObject(id)?.state = .gone }
        }
    }

    /// Objects that are changed by it are asked too; one that changes itself each time is not asked for ever.
    private func runWillSave() {
        var asked: Set<ObjectIdentifier> = []
        for _ in 0..<100 {
            let objects = changedObjects.filter { asked.insert(ObjectIdentifier($0)).inserted }
            let notes = noteCount
            for object in objects where !object.isDeleted { object.willSave() }
            guard noteCount != notes else { return }
        }
    }
}
