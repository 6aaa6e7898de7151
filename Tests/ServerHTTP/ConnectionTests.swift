import Foundation
import RoostProtocol
import RoostService
import Testing

@testable import ServerHTTP

/// Requests that follow each other on one connection.
@Suite struct ConnectionTests {
    /// A large body of an unauthenticated caller is refused after a small part was read, and the connection stays usable.
    @Test func bodyWithoutAccessIsSkipped() async throws {
        try await TestServer.run { server in
            let statuses = try await offTasks { [port = server.port] in
                let connection = try RawConnection(port: port)
                let body = [UInt8](repeating: 7, count: 300_000)
                let fields = ["Content-Type: application/x-protobuf"]
                connection.send(TestServer.request("POST", "/v1/push", fields: fields, body: body))
                let refused = connection.receive()?.status
                connection.send(TestServer.request("GET", "/v1/health"))
                return [refused, connection.receive()?.status]
            }
            #expect(statuses == [401, 200])
        }
    }

    /// A body that arrives in pieces is complete when it is read.
    @Test func bodyInPiecesIsWhole() async throws {
        try await TestServer.run { server in
            let push = server.push(1).protobuf()
            let status = try await offTasks { [port = server.port, token = server.owner.token] in
                let connection = try RawConnection(port: port)
                let fields = ["Content-Type: application/x-protobuf", "Content-Length: \(push.count)"]
                connection.send(TestServer.request("POST", "/v1/push", token: token, fields: fields))
                for byte in push {
                    usleep(500)
                    connection.send([byte])
                }
                return connection.receive()?.status
            }
            #expect(status == 200)
        }
    }

    /// A client that ends its side of the connection is answered, and the connection is closed.
    @Test func clientThatHasSaidAllIsAnswered() async throws {
        try await TestServer.run { server in
            let (status, isClosed) = try await offTasks { [port = server.port] in
                let connection = try RawConnection(port: port)
                connection.send(TestServer.request("GET", "/v1/health"))
                connection.endSending()
                return (connection.receive()?.status, connection.isClosedByServer())
            }
            #expect(status == 200)
            #expect(isClosed)
        }
    }

    @Test(arguments: ["Connection: close", "Connection: Close, x"])
    func connectionIsClosedWhereTheClientAsksForIt(field: String) async throws {
        try await TestServer.run { server in
            let isClosed = try await offTasks { [port = server.port] in
                let connection = try RawConnection(port: port)
                connection.send(TestServer.request("GET", "/v1/health", fields: [field]))
                return connection.receive()?.status == 200 && connection.isClosedByServer()
            }
            #expect(isClosed)
        }
    }

    @Test func idleConnectionIsClosed() async throws {
        try await TestServer.run(settings: { $0.idleSecondsMax = 1 }) { server in
            let isClosed = try await offTasks { [port = server.port] in
                let connection = try RawConnection(port: port)
                connection.send(TestServer.request("GET", "/v1/health"))
                return connection.receive()?.status == 200 && connection.isClosedByServer()
            }
            #expect(isClosed)
        }
    }

    /// A connection in use stays open for longer than the idle limit. It is closed after an idle time of that length.
    ///
    /// The pauses are short, so that a busy machine does not make one of them as long as the limit. Such a machine may answer late, so
    /// that a number of requests is waited for, too.
    @Test func connectionInUseStaysOpen() async throws {
        let limit = Duration.seconds(6)
        try await TestServer.run(settings: { $0.idleSecondsMax = limit.components.seconds }) { server in
            let (statuses, isClosed) = try await offTasks { [port = server.port] in
                let connection = try RawConnection(port: port, seconds: 20)
                var statuses: [Int?] = []
                let start = ContinuousClock.now
                while statuses.count <= 2 || ContinuousClock.now - start < limit + .seconds(1) {
                    connection.send(TestServer.request("GET", "/v1/health"))
                    statuses.append(connection.receive()?.status)
                    usleep(250_000)
                }
                return (statuses, connection.isClosedByServer())
            }
            #expect(statuses.allSatisfy { $0 == 200 }, "\(statuses)")
            #expect(isClosed)
        }
    }

    /// While a request is being answered, the server reads a limited part of what follows, and answers it later.
    @Test(arguments: [1, 1_000_000]) func whatComesWhileAPullWaitsIsAnsweredAfterIt(requests: Int) async throws {
        try await TestServer.run { server in
            let connection = try RawConnection(port: server.port, sendSeconds: 2)
            let hasSent = try await offTasks { [token = server.owner.token] in
                connection.send(TestServer.request("GET", "/v1/pull?wait=50", token: token))
                usleep(100_000)
                let next = Array(TestServer.request("GET", "/v1/health"))
                return connection.send([[UInt8]](repeating: next, count: requests).flatMap(\.self))
            }
            #expect(hasSent == (requests == 1))
            while server.service.waitingRoom.count == 0 { try await Task.sleep(for: .milliseconds(5)) }
            server.service.waitingRoom.close()
            let replies = try await offTasks { connection.receive(2) }
            #expect(replies.map(\.status) == [200, 200])
            #expect(replies.last.map { String(decoding: $0.body, as: UTF8.self).contains("ok") } == true)
        }
    }

    /// After a request for another protocol, nothing is read as HTTP, so that bytes do not accumulate while the request waits.
    @Test func nothingIsReadWhileARequestForAnotherProtocolWaits() async throws {
        try await TestServer.run { server in
            let connection = try RawConnection(port: server.port, sendSeconds: 2)
            let hasSent = try await offTasks { [token = server.owner.token] in
                let fields = ["Connection: Upgrade", "Upgrade: other"]
                connection.send(TestServer.request("GET", "/v1/pull?wait=50", token: token, fields: fields))
                usleep(100_000)
                return connection.send([UInt8](repeating: 7, count: 64 << 20))
            }
            #expect(!hasSent)
            server.service.waitingRoom.close()
            #expect(try await offTasks { connection.receive()?.status } == 200)
        }
    }

    /// A body does not count as slow while the server does not read it.
    @Test func bodyThatComesWhileAPullWaitsIsNotTakenForASlowOne() async throws {
        try await TestServer.run { server in
            let push = server.push(1).protobuf()
            let connection = try RawConnection(port: server.port, seconds: 20)
            try await offTasks { [token = server.owner.token] in
                connection.send(TestServer.request("GET", "/v1/pull?wait=50", token: token))
                usleep(100_000)
                let fields = ["Content-Type: application/x-protobuf", "Content-Length: \(push.count)"]
                connection.send(TestServer.request("POST", "/v1/push", token: token, fields: fields))
                sleep(7)
            }
            server.service.waitingRoom.close()
            let statuses = try await offTasks {
                let waited = connection.receive()?.status
                connection.send(push)
                return [waited, connection.receive()?.status]
            }
            #expect(statuses == [200, 200])
        }
    }

    /// After an answer that ends the connection, nothing more is read. The connection ends in time, even if the client continues
    /// to send.
    @Test func connectionEndsThoughMoreComes() async throws {
        try await TestServer.run { server in
            let isClosed = try await offTasks { [port = server.port] in
                let connection = try RawConnection(port: port)
                connection.send(TestServer.request("POST", "/v1/join", fields: ["Content-Type: text/plain"]))
                guard connection.receive()?.status == 415 else { return false }
                connection.send(TestServer.request("GET", "/v1/health"))
                return connection.isClosedByServer()
            }
            #expect(isClosed)
        }
    }

    /// A reply arrives completely, even if the client reads it more slowly than a closing connection is kept.
    @Test func lastReplyIsNotCutOff() async throws {
        try await TestServer.run(limits: {
            $0.requestsPerSecond = 0; $0.pageBytesMax = 16 << 20
        }) { server in
            for number in 1...100 as ClosedRange<UInt64> {
                let body = server.push(number, record: number, title: String(repeating: "x", count: 60_000)).protobuf()
                _ = try await server.call(
                    "POST", "/v1/push", fields: ["Content-Type: application/x-protobuf"], body: body)
            }
            let status = try await offTasks { [port = server.port, token = server.owner.token] in
                let connection = try RawConnection(port: port, seconds: 20, window: 4096)
                connection.send(
                    TestServer.request("GET", "/v1/pull", token: token, fields: ["Connection: close"]))
                connection.endSending()
                sleep(4)
                return connection.receive()?.status
            }
            #expect(status == 200)
        }
    }

    /// A client that asks before it sends its body gets 100 Continue, unless its request is refused without the body.
    @Test(arguments: [true, false]) func bodyIsAskedFor(isKnown: Bool) async throws {
        try await TestServer.run { server in
            let body = server.push(1, record: 1, title: "x").protobuf()
            let statuses = try await offTasks { [port = server.port, token = isKnown ? server.owner.token : "x"] in
                let connection = try RawConnection(port: port)
                let request = TestServer.request(
                    "POST", "/v1/push", token: token,
                    fields: ["Content-Type: application/x-protobuf", "Expect: 100-continue"], body: body)
                connection.send(Array(request.dropLast(body.count)))
                let first = connection.receive()?.status
                guard first == 100 else { return [first] }
                connection.send(body)
                return [first, connection.receive()?.status]
            }
            #expect(statuses == (isKnown ? [100, 200] : [401]))
        }
    }

    /// A request for another protocol is answered as HTTP, and the connection ends.
    @Test(arguments: ["GET", "CONNECT"]) func otherProtocolsAreNotBegun(method: String) async throws {
        try await TestServer.run { server in
            let (status, isClosed) = try await offTasks { [port = server.port] in
                let connection = try RawConnection(port: port)
                let fields = method == "GET" ? ["Connection: Upgrade", "Upgrade: websocket"] : []
                connection.send(
                    TestServer.request(method, method == "GET" ? "/v1/health" : "localhost:1", fields: fields))
                return (connection.receive()?.status, connection.isClosedByServer())
            }
            #expect(method == "GET" ? status == 200 : (status ?? 0) >= 400)
            #expect(isClosed)
        }
    }

    /// A request is answered before the invalid bytes that follow it.
    @Test func requestBeforeGarbageIsAnswered() async throws {
        try await TestServer.run { server in
            let statuses = try await offTasks { [port = server.port] in
                let connection = try RawConnection(port: port)
                connection.send(TestServer.request("GET", "/v1/health") + Array("no HTTP\r\n\r\n".utf8))
                return connection.receive(2).map(\.status)
            }
            #expect(statuses == [200, 400])
        }
    }

    /// The server reads only a few of the endless requests of a client that reads no answers.
    @Test func clientThatReadsNothingIsAskedForNoMore() async throws {
        try await TestServer.run { server in
            let sent = try await offTasks { [port = server.port] in
                let connection = try RawConnection(port: port, sendSeconds: 1)
                let many = Array(repeating: TestServer.request("GET", "/v1/version"), count: 1000).flatMap { $0 }
                var sent = 0
                while sent < 50_000_000, connection.send(many) { sent += many.count }
                return sent
            }
            #expect(sent < 40_000_000)
            #expect(try await server.isHealthy())
        }
    }

    /// With several lines of the field, the last value is that of the proxy in front of this server.
    @Test func addressIsTheLastOneOfSeveralLines() async throws {
        try await TestServer.run(
            limits: { $0.unauthenticatedPerMinute = 3 }, settings: { $0.isBehindProxy = true }
        ) { server in
            var statuses: [Int?] = []
            for number in 0..<6 {
                let fields = ["X-Forwarded-For: 10.0.0.\(number)", "X-Forwarded-For: 192.0.2.1"]
                statuses.append(try await server.call("GET", "/v1/me", token: "x", fields: fields)?.status)
            }
            #expect(statuses.last == 429)
        }
    }

    @Test func replyToHeadHasNoBody() async throws {
        try await TestServer.run { server in
            let (head, next) = try await offTasks { [port = server.port] in
                let connection = try RawConnection(port: port)
                connection.send(TestServer.request("HEAD", "/v1/health"))
                let head = connection.receive(hasBody: false)
                connection.send(TestServer.request("GET", "/v1/health"))
                return (head, connection.receive())
            }
            #expect(head?.status == 405)
            #expect(head?.field("Content-Length") != "0")
            #expect(next?.status == 200)
        }
    }

    @Test func repliesAreDated() async throws {
        #expect(ReplyDate().text(at: 784_111_777_000) == "Sun, 06 Nov 1994 08:49:37 GMT")
        try await TestServer.run { server in
            let first = server.service.now / 1000
            let field = try await server.call("GET", "/v1/health")?.field("Date")
            let seconds = first...server.service.now / 1000
            #expect(seconds.contains { ReplyDate().text(at: $0 * 1000) == field })
        }
    }

    @Test(arguments: [
        ("/v1/pull?since=ab&wait=5", "/v1/pull", "ab"), ("/v1/pull", "/v1/pull", nil),
        ("/v1/pull?since", "/v1/pull", ""),
        ("http://a:1/v1/pull?since=%61b%2", "/v1/pull", "ab%2"), ("http://a", "/", nil), ("*", "*", nil),
        ("/?x=1&since=1#since=3", "/", "1"), ("/v1/pull?since=1=2", "/v1/pull", "1=2"),
    ])
    func targetIsRead(text: String, path: String, since: String?) {
        let target = RequestTarget(text)
        #expect(target.path == path)
        #expect(target["since"] == (since.map { [$0] } ?? []))
    }
}
