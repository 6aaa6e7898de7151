import TestLoopback
import Testing
import Transport

@Suite struct TransportFailureTests {
    /// The bytes that a server sends before it closes the connection, and the cause that the client reports.
    static let broken: [(String, TransportError.Cause)] = [
        ("", .connectionLost),
        ("220 mail.example.org ESMTP\r\n", .malformedResponse),
        ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", .connectionLost),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n", .connectionLost),
        ("HTTP/1.1 200 OK\r\nContent-Length: minus one\r\n\r\n", .malformedResponse),
    ]

    /// Returns a server that reads a request and never responds.
    func holding() throws -> LoopbackServer {
        try LoopbackServer { _, connection in
            connection.waitUntilClosed()
            return .close
        }
    }

    @Test(arguments: broken)
    func brokenAnswerIsNamed(answer: String, cause: TransportError.Cause) async throws {
        let server = try LoopbackServer { _, connection in
            connection.send(answer)
            return .close
        }
        defer { server.close() }
        let error = try await HTTPTransport(port: server.port).failure(of: HTTPRequest(.get, "/"))
        #expect(error?.cause == cause)
        #expect(error?.underlying != nil)
    }

    @Test func refusedConnectionIsUnreachable() async throws {
        let transport = try HTTPTransport(port: LoopbackServer.unusedPort())
        let error = await transport.failure(of: HTTPRequest(.get, "/"))
        #expect(error?.cause == .unreachable)
        #expect(error?.underlying?.code == 7)
    }

    @Test func unansweredRequestTimesOut() async throws {
        let server = try holding()
        defer { server.close() }
        let transport = try HTTPTransport(port: server.port)
        let error = await transport.failure(of: HTTPRequest(.get, "/", timeout: .milliseconds(50), answer: .held))
        #expect(error?.cause == .timedOut)
    }

    @Test func cancelledTaskEndsItsRequestAndClosesTheConnection() async throws {
        let (closed, isClosed) = AsyncStream<Void>.makeStream()
        let server = try LoopbackServer { _, connection in
            connection.waitUntilClosed()
            isClosed.finish()
            return .close
        }
        defer { server.close() }
        let transport = try HTTPTransport(port: server.port)
        let task = Task { await transport.failure(of: HTTPRequest(.get, "/", answer: .held)) }
        _ = await server.arrivals.first { _ in true }
        task.cancel()
        #expect(await task.value?.cause == .cancelled)
        for await _ in closed {}
    }

    @Test func taskCancelledBeforeItsRequestSendsNothing() async throws {
        let server = try LoopbackServer(answering: "ok")
        defer { server.close() }
        let transport = try HTTPTransport(port: server.port)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await transport.failure(of: HTTPRequest(.get, "/"))
        }
        #expect(await task.value?.cause == .cancelled)
    }

    @Test func otherRequestsOutliveACancelledOne() async throws {
        let server = try LoopbackServer { request, connection in
            if request.line.contains("held") { connection.waitUntilClosed() }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            return .keep
        }
        defer { server.close() }
        let transport = try HTTPTransport(port: server.port)
        let held = Task { await transport.failure(of: HTTPRequest(.get, "/held", answer: .held)) }
        _ = await server.arrivals.first { _ in true }
        #expect(try await transport.send(HTTPRequest(.get, "/")).status == 200)
        held.cancel()
        #expect(await held.value?.cause == .cancelled)
        #expect(try await transport.send(HTTPRequest(.get, "/")).status == 200)
    }

    @Test func shutdownEndsEveryRequest() async throws {
        let server = try holding()
        defer { server.close() }
        let transport = try HTTPTransport(port: server.port)
        let tasks = (0..<5).map { _ in Task { await transport.failure(of: HTTPRequest(.get, "/", answer: .held)) } }
        _ = await server.arrivals.prefix(5).reduce(into: 0) { count, _ in count += 1 }
        await transport.shutdown()
        for task in tasks { #expect(await task.value?.cause == .shutDown) }
    }

    @Test func requestAfterShutdownIsRefused() async throws {
        let transport = try HTTPTransport(port: LoopbackServer.unusedPort())
        await transport.shutdown()
        await transport.shutdown()
        #expect(await transport.failure(of: HTTPRequest(.get, "/"))?.cause == .shutDown)
    }
}
