internal import Synchronization

/// Keeps transports for a while after their use, with their connections: what follows soon to the same server begins with its
/// request, and not with a connection, which takes a round trip to make and over TLS one or two more.
///
/// A transport is lent to one use at a time, since what runs on its thread holds up its other requests.
package final class TransportPool: Sendable {
    /// That of the process.
    package static let shared = TransportPool()

    private struct Resting {
        let transport: HTTPTransport
        let until: ContinuousClock.Instant
    }

    private struct Contents {
        /// The one that has rested longest first.
        var resting: [Resting] = []
        /// Whether a task sees to those whose time is over.
        var isSweeping = false
    }

    private let idleMax: Duration
    private let restingMax: Int
    private let contents = Mutex(Contents())

    /// - Parameters:
    ///   - idleMax: How long a transport rests before its connections are closed. A network that changes meanwhile is noticed
    ///     only by a request that gets no answer, so this is short.
    ///   - restingMax: How many rest at once; beyond it the one that has rested longest is closed.
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
        // A task without the preference would go by way of another thread whenever it has waited.
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

    /// Closes what has rested for its time, until nothing rests.
    private func sweep() async {
        while let next = await closeExpired() { try? await ContinuousClock().sleep(until: next) }
    }

    /// - Returns: When the next one's time is over; `nil` where none rests.
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
