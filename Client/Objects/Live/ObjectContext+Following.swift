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
    /// Call it in the context's isolation. It is not needed while ``FetchedResultsController/updates()`` is iterated.
    ///
    /// - Throws: ``ObjectError`` with the code `store` where the stores cannot be watched or read. No writes are applied from
    ///   then on.
    public func followChanges(isolation actor: isolated (any Actor)? = #isolation) async throws {
        var changes = try coordinator.hub.listen(to: coordinator.stores).makeAsyncIterator()
        let follower = try follow()
        defer { withExtendedLifetime(follower) {} }
        while let change = await changes.next(isolation: actor) { try take(change) }
    }

    /// Starts following the writes of others. Applies earlier writes, unless another follower has applied them.
    ///
    /// - Returns: A token to keep for as long as changes are applied.
    func follow() throws -> ContextFollower {
        if let follower, originsOfMissed().origins.isEmpty { return follower }
        try takeEverything(from: follower == nil ? ChangeOrigin.others : [])
        let new = follower ?? ContextFollower()
        follower = new
        return new
    }

    /// Applies a change by another author to the context, and delivers its effect on the live results. Several listeners of a
    /// context receive one change, and the first applies it for all.
    func take(_ change: StoreChange) throws {
        // A save delivers its own changes itself.
        guard let origin = origin(of: change.author), change.number > takenNumber else { return }
        guard case .records(let ids) = change.extent else { return try takeEverything(from: [origin]) }
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

    /// Refreshes all objects and all live results.
    ///
    /// - Parameter origins: The origins of the writes, in addition to the origins of posts that are not applied yet.
    private func takeEverything(from origins: Set<ChangeOrigin>) throws {
        let missed = originsOfMissed()
        let origins = origins.union(missed.origins)
        forgetRelationships()
        try refresh(registeredObjects, from: origins)
        let own = undeliveredOrigins
        (undelivered, undeliveredOrigins) = (.records([]), [])
        try deliver(.unknown, from: origins.union(own))
        takenNumber = missed.last
    }

    /// Returns the origins of writes by others that are not applied yet, and the number of the last post.
    private func originsOfMissed() -> (origins: Set<ChangeOrigin>, last: UInt64) {
        let (authors, last) = coordinator.hub.authors(after: takenNumber)
        return (Set(authors.compactMap { origin(of: $0) }), last)
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
}
