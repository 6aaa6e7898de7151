import TestLoopback
import Testing
import Transport

@Suite(.timeLimit(.minutes(1))) struct TransportPoolTests {
    /// A server that responds, and reports when its client closes a connection.
    private struct Watched {
        let server: LoopbackServer
        let closed: AsyncStream<Void>

        init() throws {
            let (closed, continuation) = AsyncStream.makeStream(of: Void.self)
            self.closed = closed
            server = try LoopbackServer { _, connection in
                connection.send("HTTP/1.1 204 No Content\r\n\r\n")
                connection.waitUntilClosed()
                continuation.yield()
                return .close
            }
        }
    }

    private func address(_ server: LoopbackServer) throws -> ServerAddress {
        try ServerAddress("http://127.0.0.1:\(server.port)")
    }

    /// Sends a request through a transport of the pool.
    private func send(to server: LoopbackServer, _ pool: TransportPool) async throws {
        let error = try await pool.withTransport(to: address(server)) { transport in
            await transport.failure(of: HTTPRequest(.get, "/"))
        }
        #expect(error == nil)
    }

    /// Sends a request through each of two transports of the pool that are in use concurrently.
    private func sendTwoAtOnce(to server: LoopbackServer, _ pool: TransportPool) async throws {
        let error = try await pool.withTransport(to: address(server)) { _ in
            do {
                try await send(to: server, pool)
                return nil as (any Error)?
            } catch {
                return error
            }
        }
        #expect(error == nil)
    }

    @Test func whatFollowsUsesTheSameConnection() async throws {
        let server = try LoopbackServer(answering: "")
        defer { server.close() }
        let pool = TransportPool(idleMax: .seconds(3600))
        for _ in 0..<3 { try await send(to: server, pool) }
        #expect(server.connectionCount == 1)
    }

    @Test func anotherServerHasAnotherTransport() async throws {
        let servers = [try LoopbackServer(answering: ""), try LoopbackServer(answering: "")]
        defer { for server in servers { server.close() } }
        let pool = TransportPool(idleMax: .seconds(3600))
        for server in servers + servers { try await send(to: server, pool) }
        #expect(servers.map(\.connectionCount) == [1, 1])
    }

    @Test func usesAtTheSameTimeShareNone() async throws {
        let pool = TransportPool()
        let here = try ServerAddress("http://127.0.0.1:1")
        let isShared = try await pool.withTransport(to: here) { outer in
            try? await pool.withTransport(to: here) { inner in inner === outer }
        }
        #expect(isShared == false)
    }

    @Test func useRunsOnTheTransportsThread() async throws {
        let pool = TransportPool()
        let here = try ServerAddress("http://127.0.0.1:1")
        let runsThere = try await pool.withTransport(to: here) { transport in
            await Task.yield()
            return withUnsafeCurrentTask { $0?.unownedTaskExecutor == transport.executor.asUnownedTaskExecutor() }
        }
        #expect(runsThere)
    }

    @Test func isClosedWhenItsTimeIsOver() async throws {
        let watched = try Watched()
        defer { watched.server.close() }
        let pool = TransportPool(idleMax: .milliseconds(1))
        var closed = watched.closed.makeAsyncIterator()
        // The second transport is closed too: the task that closes idle transports continues, or is started again.
        for _ in 0..<2 {
            try await send(to: watched.server, pool)
            #expect(await closed.next() != nil)
        }
        #expect(watched.server.connectionCount == 2)
    }

    @Test func oneWhoseTimeIsOverIsNotLent() async throws {
        let server = try LoopbackServer(answering: "")
        defer { server.close() }
        let pool = TransportPool(idleMax: .zero)
        for _ in 0..<3 { try await send(to: server, pool) }
        #expect(server.connectionCount == 3)
    }

    @Test func whereTooManyRestOneIsClosed() async throws {
        let watched = try Watched()
        defer { watched.server.close() }
        let pool = TransportPool(idleMax: .seconds(3600), restingMax: 1)
        // The inner transport is returned first, and is closed when the outer one is returned.
        try await sendTwoAtOnce(to: watched.server, pool)
        for await _ in watched.closed.prefix(1) {}
    }

    @Test func connectionThatTheServerHasClosedIsMadeAnew() async throws {
        let server = try LoopbackServer { _, connection in
            connection.send("HTTP/1.1 204 No Content\r\n\r\n")
            return .close
        }
        defer { server.close() }
        let pool = TransportPool(idleMax: .seconds(3600))
        for _ in 0..<3 { try await send(to: server, pool) }
        #expect(server.connectionCount == 3)
    }

    @Test func oneThatWasShutDownIsNotLent() async throws {
        let server = try LoopbackServer(answering: "")
        defer { server.close() }
        let pool = TransportPool(idleMax: .seconds(3600))
        try await pool.withTransport(to: address(server)) { await $0.shutdown() }
        try await send(to: server, pool)
    }
}
