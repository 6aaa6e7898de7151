/// Live results hear of what their own context changes.
extension ObjectContext {
    /// Delivers unsaved changes to the live results of the context, and what ``refresh()`` has taken in. A save, an undo, a rollback, a
    /// change of many records and the end of a group do so by themselves.
    public func deliverChanges() {
        let (extent, origins) = (undelivered, undeliveredOrigins)
        (undelivered, undeliveredOrigins) = (.records([]), [])
        do {
            try deliver(extent, from: origins)
        } catch {
            fail(error, "Cannot bring live results up to date")
        }
    }

    /// - Parameter whole: The origins for lists that are read as a whole, which see more; the same unless given.
    /// - Throws: What one of the lists throws, after the others have heard of it.
    func deliver(
        _ extent: StoreChange.Extent, from origins: Set<ChangeOrigin>, whole: Set<ChangeOrigin> = []
    ) throws {
        results.removeAll { $0.listener == nil }
        guard !results.isEmpty, extent != .records([]) else { return }
        var failure: (any Error)?
        for result in results {
            do {
                try result.listener?.update(extent, from: origins, whole: origins.union(whole))
            } catch {
                failure = error
            }
        }
        // Wakes those who wait for the next step.
        coordinator.hub.post(StoreChange(author: .context(id), extent: .records([])))
        if let failure { throw failure }
    }

    func noteUndelivered(_ id: ObjectID, from origins: Set<ChangeOrigin> = [.thisContext]) {
        prepareResults(for: origins)
        guard !results.isEmpty else { return }
        undeliveredOrigins.formUnion(origins)
        guard case .records(var ids) = undelivered else { return }
        // Taken out while it grows, so that it is not copied.
        undelivered = .unknown
        ids.insert(id)
        undelivered = .records(ids)
    }

    /// What hangs off an object, or names it, may have changed too.
    func noteUndeliveredUnknown(from origins: Set<ChangeOrigin> = [.thisContext]) {
        prepareResults(for: origins)
        guard !results.isEmpty else { return }
        undeliveredOrigins.formUnion(origins)
        undelivered = .unknown
    }

    /// What others wrote is there already, and rows that are read now have it.
    private func prepareResults(for origins: Set<ChangeOrigin>) {
        if origins.contains(.thisContext) { prepareResults() }
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
