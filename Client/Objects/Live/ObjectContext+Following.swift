/// A context hears of what others write.
extension ObjectContext {
    /// Takes in what other contexts, programs and devices write whenever they do, as ``refresh()`` does, and delivers it to the live
    /// results of the context, until the task is cancelled. Begins with what was written before.
    ///
    ///     let following = Task { try await context.followChanges() }
    ///
    /// Call it in the context's isolation. Who iterates ``FetchedResultsController/updates()`` does not need it.
    ///
    /// - Throws: ``ObjectError`` with the code `store` where the stores cannot be watched or read; nothing is taken in from then on.
    public func followChanges(isolation actor: isolated (any Actor)? = #isolation) async throws {
        var changes = try coordinator.hub.listen(to: coordinator.stores).makeAsyncIterator()
        try takeMissed()
        while let change = await changes.next(isolation: actor) { try take(change) }
    }

    /// Takes in, and delivers, what others wrote before anybody listened.
    func takeMissed() throws {
        try takeEverything(from: ChangeOrigin.others)
    }

    /// Takes what somebody has written into the context, and delivers what it changes of the live results.
    func take(_ change: StoreChange) throws {
        // What its own save changed is delivered with it.
        guard let origin = origin(of: change.author) else { return }
        guard case .records(let ids) = change.extent else {
            // Several listeners of a context hear of one change, and the first takes it in for all.
            guard change.number > takenCount else { return }
            // What was written meanwhile is seen together with it.
            let authors = coordinator.hub.vagueAuthors(from: change.number)
            return try takeEverything(from: Set(authors.compactMap { self.origin(of: $0) }).union([origin]))
        }
        // What is not delivered yet waits for its own moment.
        let waiting = (undelivered, undeliveredOrigins)
        try refresh(ids.compactMap { registeredObject($0) }, from: [origin])
        (undelivered, undeliveredOrigins) = waiting
        deliver(change.extent, from: [origin])
    }

    private func takeEverything(from origins: Set<ChangeOrigin>) throws {
        let count = coordinator.hub.postCount
        try refresh(registeredObjects, from: origins)
        let own = undeliveredOrigins
        (undelivered, undeliveredOrigins) = (.records([]), [])
        deliver(.unknown, from: origins.union(own))
        takenCount = count
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
