import Synchronization
import TestLoopback
import Testing
import Transport

/// A request that is started before its body is known.
@Suite struct PendingBodyTests {
    private static let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    @Test(.timeLimit(.minutes(1)), arguments: [0, 1, 3_000_000])
    func connectionIsThereBeforeTheBodyIs(count: Int) async throws {
        let server = try LoopbackServer(answering: "ok")
        defer { server.close() }
        let transport = try HTTPTransport(port: server.port)
        let body = PendingBody()
        async let response = transport.send(HTTPRequest(.post, "/v1/push"), awaiting: body)
        while server.connectionCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(body.set(Array(Self.body.prefix(count))))
        #expect(try await response.body == Array("ok".utf8))
        let request = try #require(await server.arrivals.first { _ in true })
        #expect(request.body == Array(Self.body.prefix(count)))
        #expect(server.connectionCount == 1)
        // The handle is reused, and keeps no options of the previous request.
        _ = try await transport.send(HTTPRequest(.post, "/", body: [1, 2]))
        _ = try await transport.send(HTTPRequest(.get, "/"))
        var later = server.arrivals.makeAsyncIterator()
        let (post, get) = (await later.next(), await later.next())
        #expect(post?.body == [1, 2])
        #expect(post?.fields.contains("content-length: 2") ?? false)
        #expect(get?.fields.contains { $0.hasPrefix("transfer-encoding") } == false)
    }

    @Test(.timeLimit(.minutes(1))) func bodyThatIsKnownAlreadyIsSentAtOnce() async throws {
        let server = try LoopbackServer(answering: "ok")
        defer { server.close() }
        let body = PendingBody()
        #expect(body.set([1, 2, 3]))
        #expect(!body.set([4]))
        _ = try await HTTPTransport(port: server.port).send(HTTPRequest(.post, "/"), awaiting: body)
        #expect(await server.arrivals.first { _ in true }?.body == [1, 2, 3])
    }

    /// libcurl sends a request again if the kept connection turns out to be dead.
    @Test(.timeLimit(.minutes(1))) func deadConnectionLosesNothingOfIt() async throws {
        let requests = Mutex(0)
        let server = try LoopbackServer { _, connection in
            let number = requests.withLock { count in
                count += 1
                return count
            }
            guard number != 2 else { return .close }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            return .keep
        }
        defer { server.close() }
        let transport = try HTTPTransport(port: server.port)
        _ = try await transport.send(HTTPRequest(.get, "/"))
        let body = PendingBody()
        async let response = transport.send(HTTPRequest(.post, "/"), awaiting: body)
        #expect(body.set(Self.body))
        #expect(try await response.status == 200)
        var arrivals = server.arrivals.makeAsyncIterator()
        _ = await arrivals.next()
        for _ in 0..<2 { #expect(await arrivals.next()?.body == Self.body) }
        #expect(server.connectionCount == 2)
    }

    @Test(.timeLimit(.minutes(1))) func requestThatHasEndedTakesNoBody() async throws {
        let transport = try HTTPTransport(port: LoopbackServer.unusedPort())
        let body = PendingBody()
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(HTTPRequest(.post, "/"), awaiting: body)
        }
        #expect(error?.cause == .unreachable)
        #expect(!body.set([1]))
    }

    @Test(.timeLimit(.minutes(1))) func cancelledRequestSendsNothing() async throws {
        let server = try LoopbackServer(answering: "ok")
        defer { server.close() }
        let transport = try HTTPTransport(port: server.port)
        let body = PendingBody()
        let sending = Task { try await transport.send(HTTPRequest(.post, "/cancelled"), awaiting: body) }
        while server.connectionCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
        sending.cancel()
        await #expect(throws: TransportError.self) { try await sending.value }
        #expect(!body.set([1]))
        _ = try await transport.send(HTTPRequest(.get, "/later"))
        #expect(await server.arrivals.first { _ in true }?.line.contains("/later") ?? false)
    }

    @Test(.timeLimit(.minutes(1))) func bodyThatNeverComesIsNotWaitedForForEver() async throws {
        let server = try LoopbackServer(answering: "ok")
        defer { server.close() }
        let transport = try HTTPTransport(port: server.port)
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(
                HTTPRequest(.post, "/", timeout: .milliseconds(200)), awaiting: PendingBody())
        }
        #expect(error?.cause == .timedOut)
    }

    @Test func onlyAPostMayWait() async throws {
        let transport = try HTTPTransport(port: LoopbackServer.unusedPort())
        for request in [HTTPRequest(.get, "/"), HTTPRequest(.post, "/", body: [1])] {
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(request, awaiting: PendingBody())
            }
            #expect(error?.cause == .invalidRequest)
        }
    }
}
