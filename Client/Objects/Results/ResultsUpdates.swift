/// The steps of live results as they happen.
///
/// Iterate it in the isolation of the controller's context. Changes that come while a step is worked on are one step together.
public struct ResultsUpdates<Object: ManagedObject>: AsyncSequence {
    public typealias Element = ResultsUpdate<ObjectID>
    public typealias Failure = any Error

    private let controller: FetchedResultsController<Object>
    private let changes: AsyncStream<StoreChange>
    private let follower: ContextFollower
    private let iteration = ResultsIteration()

    init(_ controller: FetchedResultsController<Object>) throws {
        self.controller = controller
        let coordinator = controller.context.coordinator
        changes = try coordinator.hub.listen(to: coordinator.stores)
        try controller.readRows()
        controller.iteration = iteration
        follower = try controller.context.follow()
        // Nobody was told of what was written between the sections and the rows.
        try controller.deliverMissed()
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(
            controller: controller, follower: follower, iteration: iteration, changes: changes.makeAsyncIterator())
    }

    /// Waits for one step after the other, in the isolation of the controller's context.
    public struct Iterator: AsyncIteratorProtocol {
        let controller: FetchedResultsController<Object>
        let follower: ContextFollower
        let iteration: ResultsIteration
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
                try controller.context.take(change)
            }
        }
    }
}

/// Lives as long as somebody takes the steps of live results.
final class ResultsIteration {}
