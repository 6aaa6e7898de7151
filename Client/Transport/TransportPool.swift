internal import Synchronization

/// A pool that keeps transports, with their open connections, for a while after use. A request that soon follows to the
/// server of a kept transport saves setting up a connection, which takes one round trip, and one or two more over TLS.
///
/// A transport is lent to one use at a time, since whatever runs on its thread delays its other requests.
package final class TransportPool: Sendable {
    /// The pool of the process.
    package static let shared = TransportPool()

    private struct Resting {
        let transport: HTTPTransport
        let until: ContinuousClock.Instant
    }

    private struct Contents {
        /// The idle transports, the longest idle one first.
        var resting: [Resting] = []
        /// Whether a task is running that closes expired transports.
        var isSweeping = false
    }

    private let idleMax: Duration
    private let restingMax: Int
    private let contents = Mutex(Contents())

    /// - Parameters:
    ///   - idleMax: The time for which an idle transport keeps its connections. Only an unanswered request reveals
    ///     that the network has changed meanwhile, so the time is short.
    ///   - restingMax: The maximum number of idle transports; beyond it the longest idle one is closed.
    package init(idleMax: Duration = .seconds(10), restingMax: Int = 8) {
        self.idleMax = idleMax
        self.restingMax = restingMax
    }

    /// Runs `use` with a transport to `server`, on that transport's thread.
    ///
    /// - Throws: ``TransportError/Cause/exhausted``; `use` was not run then.
    package func withTransport<Result: Sendable>(
        to server: ServerAddress, _ use: @Sendable (HTTPTransport) async -> Result
    ) async throws(TransportError) -> Result {
        let transport = if let rested = take(server) { rested } else { try HTTPTransport(to: server) }
        // Without the preference, the task would switch to another thread after each wait.
        let result = await withTaskExecutorPreference(transport.executor) { await use(transport) }
        await rest(transport)
        return result
    }

    private func take(_ server: ServerAddress) -> HTTPTransport? {
        let now = ContinuousClock.now
        return contents.withLock { contents in
            let last = contents.resting.lastIndex {
                $0.transport.server == server && $0.until > now && $0.transport.isOpen
            }
            return last.map { contents.resting.remove(at: $0).transport }
        }
    }

    private func rest(_ transport: HTTPTransport) async {
        guard transport.isOpen else { return }
        let resting = Resting(transport: transport, until: .now.advanced(by: idleMax))
        let (surplus, startsSweeping) = contents.withLock { contents in
            contents.resting.append(resting)
            let surplus = contents.resting.count > restingMax ? contents.resting.removeFirst() : nil
            defer { contents.isSweeping = true }
            return (surplus, !contents.isSweeping)
        }
        if startsSweeping { Task.detached { await self.sweep() } }
        await surplus?.transport.shutdown()
    }

    /// Closes idle transports as they expire, until none is left.
    private func sweep() async {
        while let next = await closeExpired() { try? await ContinuousClock().sleep(until: next) }
    }

    /// Closes the expired transports.
    ///
    /// - Returns: The time at which the next transport expires; `nil` if none is left.
    private func closeExpired() async -> ContinuousClock.Instant? {
        let now = ContinuousClock.now
        let (expired, next) = contents.withLock { contents in
            let expired = contents.resting.prefix { $0.until <= now }
            contents.resting.removeFirst(expired.count)
            contents.isSweeping = !contents.resting.isEmpty
            return (expired, contents.resting.first?.until)
        }
        for resting in expired { await resting.transport.shutdown() }
        return next
    }
}
