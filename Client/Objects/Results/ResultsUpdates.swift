/// The steps of live results as they happen.
///
/// Iterate it in the isolation of the controller's context. Changes that come while a step is worked on are one step together.
public struct ResultsUpdates<Object: ManagedObject>: AsyncSequence {
    public typealias Element = ResultsUpdate<ObjectID>
    public typealias Failure = any Error

    private let controller: FetchedResultsController<Object>
    private let changes: AsyncStream<StoreChange>

    init(_ controller: FetchedResultsController<Object>) throws {
        self.controller = controller
        let coordinator = controller.context.coordinator
        changes = try coordinator.hub.listen(to: coordinator.stores)
        try controller.readRows()
        controller.isIterated = true
        // What others wrote before anybody listened.
        try controller.deliverMissed()
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(controller: controller, changes: changes.makeAsyncIterator())
    }

    /// Waits for one step after the other, in the isolation of the controller's context.
    public struct Iterator: AsyncIteratorProtocol {
        let controller: FetchedResultsController<Object>
        var changes: AsyncStream<StoreChange>.Iterator

        /// The next step; `nil` once the task is cancelled.
        ///
        /// - Throws: As ``ObjectContext/fetch(_:)``.
        public mutating func next() async throws -> ResultsUpdate<ObjectID>? {
            try await next(isolation: nil)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> ResultsUpdate<ObjectID>? {
            while true {
                if !controller.waiting.isEmpty { return controller.waiting.removeFirst() }
                guard let change = await changes.next(isolation: actor) else { return nil }
                try controller.take(change)
            }
        }
    }
}

extension FetchedResultsController {
    /// Takes what somebody has written into the context, and delivers what it changes of the result.
    func take(_ change: StoreChange) throws {
        switch change.author {
        // Delivered with the save.
        case .context(context.id): break
        case .context: try take(change.extent, .otherContext)
        case .otherProgram: try take(change.extent, .otherProgram)
        case .synchronisation: try take(change.extent, .synchronisation)
        }
    }

    private func take(_ extent: StoreChange.Extent, _ origin: ChangeOrigin) throws {
        if case .records(let ids) = extent {
            try context.refresh(ids.compactMap { context.registeredObject($0) })
        } else {
            try context.refresh()
        }
        let _: ResultsUpdate<ObjectID>? = try update(extent, from: [origin])
    }
}
