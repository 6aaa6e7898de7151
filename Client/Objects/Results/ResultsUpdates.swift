/// The steps of live results as they happen.
///
/// Iterate the sequence in the isolation of the controller's context. Changes that arrive while a step is processed form one step
/// together.
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
        // No update has reported the changes between the reading of the sections and the reading of the rows.
        try controller.deliverMissed()
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(
            controller: controller, follower: follower, iteration: iteration, changes: changes.makeAsyncIterator())
    }

    /// An iterator that waits for one step after the other, in the isolation of the controller's context.
    public struct Iterator: AsyncIteratorProtocol {
        let controller: FetchedResultsController<Object>
        let follower: ContextFollower
        let iteration: ResultsIteration
        var changes: AsyncStream<StoreChange>.Iterator

        /// Returns the next step; `nil` once the task is cancelled.
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

/// Token of an iteration of live results. It lives as long as the iteration.
final class ResultsIteration {}
