/// Live results hear of what their own context changes.
extension ObjectContext {
    /// Delivers unsaved changes to the live results of the context, and what ``refresh()`` has taken in. A save, an undo, a rollback, a
    /// change of many records and the end of a group do so by themselves.
    public func deliverChanges() {
        let extent = undelivered
        undelivered = .records([])
        results.removeAll { $0.listener == nil }
        guard !results.isEmpty, extent != .records([]) else { return }
        for result in results {
            do {
                try result.listener?.update(extent, from: [.thisContext])
            } catch {
                fail(error, "Cannot bring live results up to date")
            }
        }
        // Wakes those who wait for the next step.
        coordinator.hub.post(StoreChange(author: .context(id), extent: .records([])))
    }

    func noteUndelivered(_ id: ObjectID) {
        prepareResults()
        guard !results.isEmpty, case .records(var ids) = undelivered else { return }
        // Taken out while it grows, so that it is not copied.
        undelivered = .unknown
        ids.insert(id)
        undelivered = .records(ids)
    }

    /// What hangs off an object, or names it, may have changed too.
    func noteUndeliveredUnknown() {
        prepareResults()
        undelivered = .unknown
    }

    /// Called before something changes: live results have to know what was there.
    func prepareResults() {
        guard hasUnreadResults else { return }
        hasUnreadResults = false
        for result in results {
            do {
                try result.listener?.readRows()
            } catch {
                fail(error, "Cannot read live results")
            }
        }
    }
}
