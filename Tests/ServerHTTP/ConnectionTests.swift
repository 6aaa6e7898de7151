import Foundation
import RoostProtocol
import RoostService
import Testing

@testable import ServerHTTP

/// One connection, and what comes on it one after the other.
@Suite struct ConnectionTests {
    /// Of a large body from somebody without access little is read before it is refused, and the connection goes on.
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

    /// A body that arrives in pieces is whole when it is read.
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

    /// Whoever says that nothing more comes is answered, and the connection closed.
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

    /// A connection on which requests follow each other is not closed when the first pause would have been too long, and then is.
    ///
    /// The pauses are short, so that a busy machine does not make one of them as long as the limit.
    @Test func connectionInUseStaysOpen() async throws {
        let limit = Duration.seconds(6)
        try await TestServer.run(settings: { $0.idleSecondsMax = limit.components.seconds }) { server in
            let (statuses, isClosed) = try await offTasks { [port = server.port] in
                let connection = try RawConnection(port: port, seconds: 20)
                var statuses: [Int?] = []
                let start = ContinuousClock.now
                while ContinuousClock.now - start < limit + .seconds(1) {
                    connection.send(TestServer.request("GET", "/v1/health"))
                    statuses.append(connection.receive()?.status)
                    usleep(250_000)
                }
                return (statuses, connection.isClosedByServer())
            }
            #expect(statuses.count > 2)
            #expect(statuses.allSatisfy { $0 == 200 }, "\(statuses)")
            #expect(isClosed)
        }
    }

    /// While a request is being answered, a little of what comes next is taken in, and is answered after it; not all that comes.
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

    /// After a request that asks for another protocol nothing is read as HTTP: it must not gather while that one waits.
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

    /// A body is not slow while the server itself does not read it.
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

    /// After an answer that ends the connection nothing more is read; it ends in time whatever else comes.
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

    /// A reply that takes longer to be read than a closing connection is kept arrives whole.
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

    /// Who asks before it sends its body is told to go on, unless it is refused without one.
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

    /// What would turn the connection into one of another protocol is answered as HTTP, and the connection ends.
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

    /// What came before something that is no HTTP is answered first.
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

    /// Requests without end from somebody who reads no answer: few of them are read.
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

    /// Of several lines of a field the last value is the proxy's that spoke to this server.
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
