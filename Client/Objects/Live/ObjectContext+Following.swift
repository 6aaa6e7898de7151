/// Lives as long as somebody takes what others write into a context.
final class ContextFollower {}

/// A context hears of what others write.
extension ObjectContext {
    /// Takes in what other contexts, programs and devices write whenever they do, as ``refresh()`` does, and delivers it to the live
    /// results of the context, until the task is cancelled. Begins with what was written before. Where the policy is
    /// ``MergePolicy/ask``, the save still asks.
    ///
    ///     let following = Task { try await context.followChanges() }
    ///
    /// Call it in the context's isolation. Who iterates ``FetchedResultsController/updates()`` does not need it.
    ///
    /// - Throws: ``ObjectError`` with the code `store` where the stores cannot be watched or read; nothing is taken in from then on.
    public func followChanges(isolation actor: isolated (any Actor)? = #isolation) async throws {
        var changes = try coordinator.hub.listen(to: coordinator.stores).makeAsyncIterator()
        let follower = try follow()
        defer { withExtendedLifetime(follower) {} }
        while let change = await changes.next(isolation: actor) { try take(change) }
    }

    /// Called by who listens from now on. Takes in what was written before, unless another one does.
    ///
    /// - Returns: To be kept for as long as changes are taken.
    func follow() throws -> ContextFollower {
        if let follower, originsOfMissed().origins.isEmpty { return follower }
        try takeEverything(from: follower == nil ? ChangeOrigin.others : [])
        let new = follower ?? ContextFollower()
        follower = new
        return new
    }

    /// Takes what somebody has written into the context, and delivers what it changes of the live results. Several listeners of a
    /// context hear of one change, and the first takes it in for all.
    func take(_ change: StoreChange) throws {
        // What its own save changed is delivered with it.
        guard let origin = origin(of: change.author), change.number > takenNumber else { return }
        guard case .records(let ids) = change.extent else { return try takeEverything(from: [origin]) }
        guard !ids.isEmpty else { return }
        let missed = originsOfMissed().origins
        forgetRelationships()
        // What is not delivered yet waits for its own moment, but in lists that are read as a whole.
        let waiting = (undelivered, undeliveredOrigins)
        try refresh(ids.compactMap { registeredObject($0) }, from: [origin])
        (undelivered, undeliveredOrigins) = waiting
        try deliver(change.extent, from: [origin], whole: missed.union(undeliveredOrigins))
        takenNumber = change.number
    }

    /// - Parameter origins: Who has written, beside those whose posts are not taken yet.
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

    /// Who of the others has written what was not taken in yet, and the number of the last post.
    private func originsOfMissed() -> (origins: Set<ChangeOrigin>, last: UInt64) {
        let (authors, last) = coordinator.hub.authors(after: takenNumber)
        return (Set(authors.compactMap { origin(of: $0) }), last)
    }

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
