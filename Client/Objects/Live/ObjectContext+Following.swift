/// Token of a task that applies the writes of others to a context. It lives as long as the task.
final class ContextFollower {}

/// Application of the writes of others to a context.
extension ObjectContext {
    /// Applies the writes of other contexts, programs and devices as they occur, as ``refresh()`` does, and delivers them to the
    /// live results of the context, until the task is cancelled. It starts with earlier writes. Where the policy is
    /// ``MergePolicy/ask``, the save still asks.
    ///
    ///     let following = Task { try await context.followChanges() }
    ///
    /// Call it in the context's isolation. It is needed for objects without a list only: a context with a live list follows
    /// changes by itself (``FetchedResultsController/performFetch(isolation:)``).
    ///
    /// - Throws: ``ObjectError`` with the code `store` where the stores cannot be watched or read. No writes are applied from
    ///   then on.
    public func followChanges(isolation actor: isolated (any Actor)? = #isolation) async throws {
        var changes = try coordinator.hub.listen(to: coordinator.stores).makeAsyncIterator()
        let follower = try follow()
        defer { withExtendedLifetime(follower) {} }
        while let change = await changes.next(isolation: actor) { try take(change) }
    }

    /// Follows the writes of others in a task of the context's isolation, as long as the context has live results.
    func followForResults(isolation actor: isolated (any Actor)?) throws {
        // Code without an isolation has none to which a task could return.
        guard actor != nil, following == nil else { return }
        let changes = try coordinator.hub.listen(to: coordinator.stores)
        let follower = try follow()
        following = Task { [weak self] in
            var changes = changes.makeAsyncIterator()
            while let change = await changes.next(isolation: actor) {
                guard let self else { break }
                do {
                    try self.take(change)
                } catch {
                    // The next change is applied together with this one.
                    self.fail(error, "Cannot apply what others have saved")
                }
            }
            withExtendedLifetime(follower) {}
        }
    }

    /// Starts following the writes of others. Applies earlier writes, unless they are applied already.
    ///
    /// - Returns: A token to keep for as long as changes are applied.
    func follow() throws -> ContextFollower {
        if checks != nil {
            try catchUp()
        } else if follower == nil || !originsOfMissed().origins.isEmpty {
            try takeEverything(from: follower == nil ? ChangeOrigin.others : [])
        }
        let new = follower ?? ContextFollower()
        follower = new
        return new
    }

    /// Applies a change by another author to the context, and delivers its effect on the live results. Several listeners of a
    /// context receive one change, and the first applies it for all.
    func take(_ change: StoreChange) throws {
        // A save delivers its own changes itself.
        guard let origin = origin(of: change.author), change.number > takenNumber else { return }
        guard case .records(let ids) = change.extent else {
            try takeEverything(from: [origin])
            return
        }
        guard !ids.isEmpty else { return }
        let missed = originsOfMissed().origins
        forgetRelationships()
        // Undelivered changes wait for their own delivery, except in lists that are read as a whole.
        let waiting = (undelivered, undeliveredOrigins)
        try refresh(ids.compactMap { registeredObject($0) }, from: [origin])
        (undelivered, undeliveredOrigins) = waiting
        try deliver(change.extent, from: [origin], whole: missed.union(undeliveredOrigins))
        takenNumber = change.number
    }

    // MARK: Before a list is read

    /// Starts to notice the writes of others for a list that is about to be fetched, and applies those that are not applied yet.
    func beginChecks() throws {
        guard checks == nil else {
            try catchUp()
            return
        }
        checks = try coordinator.hub.beginChecks(of: coordinator.stores)
        // A follower has applied the earlier ones.
        if follower == nil { try takeEverything(from: ChangeOrigin.others) }
    }

    /// Applies the writes of others that are not applied yet, so that lists, their objects and the store agree.
    ///
    /// - Parameter list: A list to which nothing is delivered. All changes are applied as one then.
    /// - Returns: The origins of the changes; none where there are none.
    @discardableResult
    func catchUp(except list: (any ResultsListener)? = nil) throws -> Set<ChangeOrigin> {
        // A list is also read by the program that one of its steps is delivered to.
        guard checks != nil, !isDelivering else { return [] }
        try coordinator.hub.check(coordinator.stores)
        let (changes, _, areAll) = coordinator.hub.changes(after: takenNumber)
        let missed = changes.filter { origin(of: $0.author) != nil }
        let isParentChanged = parentContentCount != takenParentContentCount
        guard !missed.isEmpty || !areAll || isParentChanged else { return [] }
        if list == nil, areAll, !isParentChanged {
            for change in missed { try take(change) }
            return Set(missed.compactMap { origin(of: $0.author) })
        }
        let more: Set<ChangeOrigin> = areAll ? [] : ChangeOrigin.others
        return try takeEverything(from: isParentChanged ? more.union([.otherContext]) : more, except: list).origins
    }

    /// Refreshes all objects and all live results.
    ///
    /// - Parameters:
    ///   - origins: The origins of the writes, in addition to the origins of posts that are not applied yet.
    ///   - isSeen: Whether the user requested it, and so sees the changes of others.
    ///   - list: A list to which nothing is delivered.
    /// - Returns: All origins, those of undelivered changes included, and the changes of the objects.
    @discardableResult
    func takeEverything(
        from origins: Set<ChangeOrigin>, isSeen: Bool = false, except list: (any ResultsListener)? = nil
    ) throws -> (origins: Set<ChangeOrigin>, report: RefreshReport) {
        let missed = originsOfMissed()
        let parentContentCount = parentContentCount
        forgetRelationships()
        var origins = origins.union(missed.origins)
        let report = try refresh(registeredObjects, from: origins, isSeen: isSeen)
        origins.formUnion(undeliveredOrigins)
        (undelivered, undeliveredOrigins) = (.records([]), [])
        try deliver(.unknown, from: origins, except: list)
        takenNumber = missed.last
        takenParentContentCount = parentContentCount
        return (origins, report)
    }

    /// Returns the origins of writes by others that are not applied yet, and the number of the last post.
    func originsOfMissed() -> (origins: Set<ChangeOrigin>, last: UInt64) {
        let (changes, last, _) = coordinator.hub.changes(after: takenNumber)
        return (Set(changes.compactMap { origin(of: $0.author) }), last)
    }

    /// Returns the origin of an author's writes, as seen from this context.
    ///
    /// - Returns: `nil` for this context.
    private func origin(of author: StoreChange.Author) -> ChangeOrigin? {
        switch author {
        case .context(id): nil
        case .context: .otherContext
        case .otherProgram: .otherProgram
        case .synchronisation: .synchronisation
        }
    }

    /// The number of changes of the contexts whose unsaved changes this context shows.
    private var parentContentCount: UInt64 { parent.map { $0.contentCount &+ $0.parentContentCount } ?? 0 }

    // MARK: End

    /// Ends what the context does for its live results, once it has none. A list that ends calls it.
    func resultsEnded() {
        results.removeAll { $0.listener == nil }
        guard results.isEmpty else { return }
        checks = nil
        following?.cancel()
        following = nil
    }
}
