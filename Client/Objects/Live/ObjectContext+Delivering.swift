/// Delivery of a context's own changes to its live results.
extension ObjectContext {
    /// Delivers unsaved changes to the live results of the context. A save, an undo, a rollback, a change of many records and the
    /// end of a group do so by themselves.
    public func deliverChanges() {
        let (extent, origins) = (undelivered, undeliveredOrigins)
        (undelivered, undeliveredOrigins) = (.records([]), [])
        do {
            // A list that is read as a whole observes what others have written before, too.
            try deliver(extent, from: origins, whole: results.isEmpty ? [] : originsOfMissed().origins)
        } catch {
            fail(error, "Cannot bring live results up to date")
        }
    }

    /// Delivers changes to the live results.
    ///
    /// - Parameters:
    ///   - whole: Additional origins for lists that are read as a whole, which observe more changes; none unless given.
    ///   - list: A list to which nothing is delivered.
    /// - Throws: The last error of a list, after the other lists were updated.
    func deliver(
        _ extent: StoreChange.Extent, from origins: Set<ChangeOrigin>, whole: Set<ChangeOrigin> = [],
        except list: (any ResultsListener)? = nil
    ) throws {
        results.removeAll { $0.listener == nil }
        guard !results.isEmpty, extent != .records([]) else { return }
        let wasDelivering = isDelivering
        isDelivering = true
        defer { isDelivering = wasDelivering }
        var failure: (any Error)?
        for result in results where result.listener !== list || list == nil {
            do {
                try result.listener?.update(extent, from: origins, whole: origins.union(whole))
            } catch {
                failure = error
            }
        }
        // Wakes the iterations that wait for the next step.
        coordinator.hub.post(StoreChange(author: .context(id), extent: .records([])))
        if let failure { throw failure }
    }

    func recordUndelivered(_ id: ObjectID, from origins: Set<ChangeOrigin> = [.thisContext]) {
        contentCount &+= 1
        prepareResults(for: origins)
        guard !results.isEmpty else { return }
        undeliveredOrigins.formUnion(origins)
        guard case .records(var ids) = undelivered else { return }
        // The set is moved out of the property while it grows, so that it is not copied.
        undelivered = .unknown
        ids.insert(id)
        undelivered = .records(ids)
    }

    /// Records that any object may have changed, such as cascade children of a changed object or objects that name it.
    func recordUndeliveredUnknown(from origins: Set<ChangeOrigin> = [.thisContext]) {
        contentCount &+= 1
        prepareResults(for: origins)
        guard !results.isEmpty else { return }
        undeliveredOrigins.formUnion(origins)
        undelivered = .unknown
    }

    /// Prepares live results for changes of this context only. Changes by others are stored already, and rows read now include
    /// them.
    private func prepareResults(for origins: Set<ChangeOrigin>) {
        if origins.contains(.thisContext) { prepareResults() }
    }

    /// Reads the rows of live results that are unread, because a difference needs the rows before a change. Called before a
    /// change.
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
