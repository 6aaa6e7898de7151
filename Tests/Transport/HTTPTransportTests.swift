import Foundation
import TestLoopback
import Testing
import Transport

@Suite struct HTTPTransportTests {
    @Test(arguments: HTTPRequest.Method.allCases)
    func sendsMethodPathAndHeadersAsGiven(method: HTTPRequest.Method) async throws {
        let server = try LoopbackServer(answering: "")
        defer { server.close() }
        let transport = try HTTPTransport(port: server.port)
        _ = try await transport.send(
            HTTPRequest(method, "/v1/scopes/../x?wait=5%20", headers: ["Authorization": "Bearer t", "X-Empty": ""]))
        let request = try #require(await server.arrivals.first { _ in true })
        #expect(request.line == "\(method.rawValue) /v1/scopes/../x?wait=5%20 HTTP/1.1")
        #expect(request.fields.contains("authorization: bearer t"))
        #expect(request.fields.contains("x-empty:"))
        #expect(request.fields.contains("accept-encoding: zstd, gzip"))
        #expect(!request.fields.contains { $0.hasPrefix("content-type") || $0.hasPrefix("expect") })
    }

    /// One transport sends the requests in sequence, and reuses its handle and lists of fields.
    @Test func eachRequestHasItsOwnFields() async throws {
        let server = try LoopbackServer(answering: "")
        defer { server.close() }
        let transport = try HTTPTransport(port: server.port)
        let fields: [HTTPHeaders] = [
            ["X": "1", "Y": "2"], ["X": "1", "Y": "2"], ["X": "2"], [:], ["X": "1", "Y": "2"],
        ]
        for (number, headers) in fields.enumerated() {
            _ = try await transport.send(
                HTTPRequest(number == 2 ? .get : .post, "/\(number)", headers: headers, body: number == 2 ? [] : [1]))
        }
        let body = PendingBody()
        #expect(body.set([1, 2]))
        _ = try await transport.send(HTTPRequest(.post, "/5", headers: fields[4]), awaiting: body)
        _ = try await transport.send(HTTPRequest(.post, "/6", headers: fields[4], body: [1]))
        var arrived: [[String]] = []
        var isChunked: [Bool] = []
        for await request in server.arrivals {
            arrived.append(request.fields.filter { $0.hasPrefix("x:") || $0.hasPrefix("y:") })
            isChunked.append(request.fields.contains("transfer-encoding: chunked"))
            if arrived.count == 7 { break }
        }
        let both = ["x: 1", "y: 2"]
        #expect(arrived == [both, both, ["x: 2"], [], both, both, both])
        #expect(isChunked == [false, false, false, false, false, true, false])
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .delete], [1, 3_000_000])
    func sendsBody(method: HTTPRequest.Method, count: Int) async throws {
        let server = try LoopbackServer(answering: "")
        defer { server.close() }
        let transport = try HTTPTransport(port: server.port)
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        _ = try await transport.send(HTTPRequest(method, "/", body: body))
        let request = try #require(await server.arrivals.first { _ in true })
        #expect(request.line.hasPrefix(method.rawValue))
        #expect(request.body == body)
    }

    /// Jobs precede transfers, but cannot starve them.
    @Test(.timeLimit(.minutes(1))) func jobsWithoutEndKeepNoRequestFromItsAnswer() async throws {
        let server = try LoopbackServer(answering: "ok")
        defer { server.close() }
        let transport = try HTTPTransport(port: server.port)
        let busy = Task(executorPreference: transport.executor) {
            while !Task.isCancelled { await Task.yield() }
        }
        defer { busy.cancel() }
        #expect(try await transport.send(HTTPRequest(.get, "/")).body == Array("ok".utf8))
    }

    @Test func returnsStatusHeadersAndBody() async throws {
        let server = try LoopbackServer { _, connection in
            connection.send(
                "HTTP/1.1 503 Busy\r\nRetry-After:  7 \r\nX-Two: a\r\nx-two: b\r\nContent-Length: 2\r\n\r\nno")
            return .keep
        }
        defer { server.close() }
        let response = try await HTTPTransport(port: server.port).send(HTTPRequest(.get, "/"))
        #expect(response.status == 503)
        #expect(response.headers["retry-after"] == "7")
        #expect(response.headers["X-TWO"] == "a")
        #expect(response.headers.fields.map(\.value) == ["7", "a", "b", "2"])
        #expect(response.body == Array("no".utf8))
    }

    @Test func headersOfAnInterimResponseDoNotCount() async throws {
        let server = try LoopbackServer { _, connection in
            connection.send(
                "HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\nHTTP/1.1 204 No Content\r\nX-Late: 1\r\n\r\n")
            return .keep
        }
        defer { server.close() }
        let response = try await HTTPTransport(port: server.port).send(HTTPRequest(.get, "/"))
        #expect(response.status == 204)
        #expect(response.headers.fields.map(\.name) == ["x-late"])
    }

    @Test func keepsItsConnection() async throws {
        let server = try LoopbackServer(answering: "ok")
        defer { server.close() }
        let transport = try HTTPTransport(port: server.port)
        for _ in 0..<50 { _ = try await transport.send(HTTPRequest(.post, "/", body: [1])) }
        #expect(server.connectionCount == 1)
    }

    @Test func followsNoRedirect() async throws {
        let server = try LoopbackServer { _, connection in
            connection.send("HTTP/1.1 307 Elsewhere\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n")
            return .keep
        }
        defer { server.close() }
        let response = try await HTTPTransport(port: server.port).send(HTTPRequest(.get, "/"))
        #expect(response.status == 307)
        #expect(response.headers["location"] == "/other")
    }

    @Test func opensNoMoreConnectionsThanAllowed() async throws {
        let server = try LoopbackServer(answering: "ok")
        defer { server.close() }
        var configuration = TransportConfiguration()
        configuration.connectionsMax = 4
        let transport = try HTTPTransport(port: server.port, configuration)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<200 { group.addTask { try await transport.send(HTTPRequest(.get, "/")).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 200))
        #expect((1...4).contains(server.connectionCount))
    }

    @Test func refusesMoreRequestsThanAllowed() async throws {
        let server = try LoopbackServer { _, connection in
            connection.waitUntilClosed()
            return .close
        }
        defer { server.close() }
        var configuration = TransportConfiguration()
        configuration.requestsMax = 1
        let transport = try HTTPTransport(port: server.port, configuration)
        async let held = transport.failure(of: HTTPRequest(.get, "/", answer: .held))
        _ = await server.arrivals.first { _ in true }
        #expect(await transport.failure(of: HTTPRequest(.get, "/"))?.cause == .exhausted)
        await transport.shutdown()
        #expect(await held?.cause == .shutDown)
    }

    @Test func environmentNamesNoProxy() async {
        await #expect(processExitsWith: .success) {
            setenv("http_proxy", "http://127.0.0.1:9", 1)
            setenv("ALL_PROXY", "http://127.0.0.1:9", 1)
            let server = try LoopbackServer(answering: "ok")
            _ = try await HTTPTransport(port: server.port).send(HTTPRequest(.get, "/"))
        }
    }

    @Test func namedProxyIsUsed() async throws {
        let proxy = try LoopbackServer(answering: "from the proxy")
        defer { proxy.close() }
        var configuration = TransportConfiguration()
        configuration.proxy = "http://127.0.0.1:\(proxy.port)"
        let port = try LoopbackServer.unusedPort()
        let transport = try HTTPTransport(port: port, configuration)
        var arrivals = proxy.arrivals.makeAsyncIterator()
        for path in ["/", "/v1/pull?since=ab"] {
            let response = try await transport.send(HTTPRequest(.get, path))
            #expect(response.body == Array("from the proxy".utf8))
            #expect(await arrivals.next()?.line == "GET http://127.0.0.1:\(port)\(path) HTTP/1.1")
        }
    }
}
