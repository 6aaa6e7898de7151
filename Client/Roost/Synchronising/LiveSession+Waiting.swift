internal import Replica
internal import RoostModel

extension LiveSession {
    /// The present state.
    public nonisolated var state: SessionState { feed.state }

    /// Makes a stream of the session's states, which begins with the present one and ends with the session.
    ///
    ///     for await state in session.states() { print(state) }
    ///
    /// A reader that is slower than the session gets the newest state. A state is delivered again when a program has written to the
    /// replica.
    public nonisolated func states() -> AsyncStream<SessionState> { feed.follow() }

    /// Waits until the replica and the server hold the same records, with everything that was saved before the call.
    ///
    ///     try context.save("add Dinner")
    ///     try await session.synced()
    ///
    /// A session that does not run yet is waited for, and so is a server that cannot be reached. Cancel the task to end the wait.
    ///
    /// - Throws: ``RoostError`` with the code `blocked` if local changes stay here until the user acts, and with the code
    ///   `sessionEnded` if the session has ended; a `CancellationError`.
    public nonisolated func synced() async throws {
        // The states that follow include the local changes of before the call.
        await searchOutbox()
        for await state in states() {
            switch state {
            case .upToDate: if await isSameAsServer() { return }
            case .blocked(let reason):
                throw RoostError(.blocked, "Cannot send the local changes of \"\(replica.path)\": \(reason)")
            case .notRunning, .pushing, .pulling, .offline, .waiting, .stopped: break
            }
        }
        try Task.checkCancellation()
        throw RoostError(
            .sessionEnded, "Cannot wait for \"\(replica.path)\": its session has ended: \(feed.end ?? "unknown").")
    }

    /// Asks the server for its digest. Where no answer comes, the session's next state is waited for: at the latest, it is that of the
    /// next answer to the poll for changes.
    private nonisolated func isSameAsServer() async -> Bool {
        do {
            // A server of an earlier version has no digest: its last answer to a pull has to do.
            guard let digest = try await replica.scope.digest() else { return true }
            return try replica.digest() == digest
        } catch {
            return false
        }
    }
}
