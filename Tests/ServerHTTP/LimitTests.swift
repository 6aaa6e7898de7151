import RoostCompression
import RoostModel
import RoostProtocol
import RoostService
import ServerHTTP
import Testing

@Suite struct LimitTests {
    private static let protobuf = ["Content-Type: application/x-protobuf"]

    @Test func bodyOverItsLimitIsRefusedUnread() async throws {
        try await TestServer.run { server in
            let head = TestServer.request(
                "POST", "/v1/push", token: server.owner.token,
                fields: Self.protobuf + ["Content-Length: \(4 * 1024 * 1024 + 1)"])
            let reply = try await server.raw(head)
            #expect(reply?.status == 413)
            #expect(reply?.code == "too_large")
            #expect(reply?.field("Connection") == "close")
        }
    }

    @Test func statedLengthOfATebibyteIsRefusedUnread() async throws {
        try await TestServer.run { server in
            let head = TestServer.request(
                "POST", "/v1/push", token: server.owner.token, fields: Self.protobuf + ["Content-Length: 1099511627776"]
            )
            let status = try await server.raw(head)?.status
            #expect(status == 413)
        }
    }

    @Test func endlessChunkedBodyIsRefused() async throws {
        try await TestServer.run { server in
            let head = TestServer.request(
                "POST", "/v1/push", token: server.owner.token, fields: Self.protobuf + ["Transfer-Encoding: chunked"])
            let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 65, count: 65536) + Array("\r\n".utf8)
            let reply = try await server.raw(head + (0..<80).flatMap { _ in chunk })
            // A server that closes early may reset the connection before its answer is read.
            #expect(reply.map { $0.status == 413 } ?? true)
            #expect(try await server.isHealthy())
        }
    }

    @Test(arguments: [ContentEncoding.gzip, .zstd])
    func bombIsRefused(encoding: ContentEncoding) async throws {
        try await TestServer.run { server in
            let zeros = [UInt8](repeating: 0, count: 16 * 1024 * 1024)
            let bomb = encoding == .gzip ? try Compression.gzip(zeros) : try Compression.zstd(zeros)
            let fields = Self.protobuf + ["Content-Encoding: \(encoding.rawValue)"]
            #expect(try await server.call("POST", "/v1/push", fields: fields, body: bomb)?.status == 413)
        }
    }

    @Test(arguments: ["gzip, gzip", "br", "deflate", "x"])
    func otherEncodingIsUnsupported(encoding: String) async throws {
        try await TestServer.run { server in
            let fields = Self.protobuf + ["Content-Encoding: \(encoding)"]
            let reply = try await server.call("POST", "/v1/push", fields: fields, body: [1])
            #expect(reply?.status == 415)
        }
    }

    @Test(arguments: ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonx"])
    func otherTypeIsUnsupported(type: String) async throws {
        try await TestServer.run { server in
            for path in ["/v1/push", "/v1/invites"] {
                let reply = try await server.call("POST", path, fields: ["Content-Type: \(type)"], body: [1])
                #expect(reply?.status == 415)
            }
        }
    }

    @Test func damagedGzipIsABadRequest() async throws {
        try await TestServer.run { server in
            let good = try Compression.gzip(server.push(1).protobuf())
            var wrong = good
            wrong[wrong.count - 5] ^= 1
            for body in [Array(good.dropLast()), good + [0], good + good, wrong, try Compression.gzip(good)] {
                let fields = Self.protobuf + ["Content-Encoding: gzip"]
                #expect(try await server.call("POST", "/v1/push", fields: fields, body: body)?.status == 400)
            }
        }
    }

    @Test(arguments: [
        "", "null", "[]", "{", "{} {}", #"{"number":1,"number":1,"transactions":[]}"#,
        #"{"number":1e400,"transactions":[]}"#, #"{"number":"1","transactions":[]}"#,
        #"{"number":1,"transactions":[{"changes":[{"entity":"Nope"}]}]}"#, "\u{FEFF}{}",
        String(repeating: "[", count: 200_000),
    ])
    func bodyThatIsNoPushIsABadRequest(body: String) async throws {
        try await TestServer.run { server in
            let reply = try await server.call(
                "POST", "/v1/push", fields: ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"],
                body: Array(body.utf8))
            #expect(reply?.status == 400)
        }
    }

    @Test func deviceThatAsksTooOftenIsToldToWait() async throws {
        try await TestServer.run(
            limits: {
                $0.requestsPerSecond = 1; $0.requestsBurst = 3
            },
            { server in
                #expect(try await server.call("GET", "/v1/me")?.status == 200)
                // On a slow machine, more than three requests are accepted before one exceeds the rate, because each second
                // admits another one.
                var reply = try await server.call("GET", "/v1/me")
                for _ in 0..<100 where reply?.status == 200 { reply = try await server.call("GET", "/v1/me") }
                #expect(reply?.status == 429)
                #expect(reply?.field("Retry-After") == "1")
            })
    }

    @Test func wrongTokensFromOneAddressAreThrottledAndRightOnesNot() async throws {
        try await TestServer.run { server in
            for _ in 0..<10 {
                let wrong = try await server.call("GET", "/v1/me", token: "x")?.status
                #expect(wrong == 401)
            }
            let next = try await server.call("GET", "/v1/me", token: "x")?.status
            #expect(next == 429)
            let right = try await server.call("GET", "/v1/me")?.status
            #expect(right == 200)
        }
    }

    @Test func changesOfAnHourAreLimited() async throws {
        try await TestServer.run(
            limits: { $0.changesPerHourMax = 1 },
            { server in
                let first = server.push(1).protobuf()
                let accepted = try await server.call("POST", "/v1/push", fields: Self.protobuf, body: first)?.status
                #expect(accepted == 200)
                let second = server.push(2).protobuf()
                let refused = try await server.call("POST", "/v1/push", fields: Self.protobuf, body: second)?.status
                #expect(refused == 429)
            })
    }

    @Test func connectionOverTheLimitIsClosed() async throws {
        try await TestServer.run(
            limits: { $0.connectionsMax = 2 },
            { server in
                try await offTasks { [port = server.port] in
                    let held = try (0..<2).map { _ in try RawConnection(port: port) }
                    for connection in held {
                        connection.send(TestServer.request("GET", "/v1/health"))
                        #expect(connection.receive()?.status == 200)
                    }
                    #expect(try RawConnection(port: port).isClosedByServer())
                }
            })
    }

    @Test func connectionsOfAnAddressAreLimited() {
        let table = ConnectionTable(totalMax: 4, perAddressMax: 1)
        #expect(table.open("192.0.2.1"))
        #expect(!table.open("192.0.2.1"))
        #expect(table.open("192.0.2.2"))
        table.close("192.0.2.1")
        #expect(table.open("192.0.2.1"))
        #expect(table.open("127.0.0.1"))
        #expect(table.open("127.0.0.1"))
        #expect(!table.open("127.0.0.1"))
    }

    @Test func blockOfAnAddressDoublesUpToAnHour() {
        let rates = RateLimits(Limits())
        var now: UInt64 = 1_000_000
        var waits: [Int] = []
        for _ in 0..<8 {
            for _ in 0..<10 { try? rates.failure(from: "192.0.2.1", now: now) }
            do {
                try rates.failure(from: "192.0.2.1", now: now)
            } catch {
                waits.append((error.retryAfter ?? 0) - 1)
            }
            now += UInt64(waits.last ?? 0) * 1000
        }
        #expect(waits == [60, 120, 240, 480, 960, 1920, 3600, 3600])
    }

    @Test func limitsOfADeviceEndByThemselves() throws {
        var limits = Limits()
        (limits.requestsPerSecond, limits.requestsBurst, limits.changesPerHourMax) = (1, 1, 1)
        let rates = RateLimits(limits)
        let replica = ReplicaID.unregistered
        let now: UInt64 = 1_000_000
        try rates.request(by: replica, now: now)
        #expect(throws: ProtocolError.self) { try rates.request(by: replica, now: now) }
        try rates.request(by: replica, now: now + 1000)
        try rates.changes(1, by: replica, now: now)
        #expect(throws: ProtocolError.self) { try rates.changes(1, by: replica, now: now) }
        try rates.changes(1, by: replica, now: now + 3_600_001)
    }

    @Test func silentConnectionIsClosed() async throws {
        try await TestServer.run(
            settings: { $0.headSecondsMax = 1 },
            { server in
                try await offTasks { [port = server.port] in
                    let connection = try RawConnection(port: port)
                    connection.send("GET /v1/health HTTP/1.1\r\nHost: a\r\n")
                    #expect(connection.isClosedByServer())
                }
            })
    }

    @Test func slowBodyIsClosed() async throws {
        try await TestServer.run(
            settings: { $0.requestSecondsMax = 1 },
            { server in
                try await offTasks { [port = server.port, token = server.owner.token] in
                    let connection = try RawConnection(port: port, seconds: 10)
                    let fields = Self.protobuf + ["Content-Length: 100"]
                    connection.send(TestServer.request("POST", "/v1/push", token: token, fields: fields))
                    #expect(connection.isClosedByServer())
                }
            })
    }

    /// The server discards pages that no client reads, and meanwhile serves others.
    @Test func readerThatDoesNotReadIsLetGo() async throws {
        try await TestServer.run(
            settings: { $0.requestSecondsMax = 1 },
            { server in
                let stamp = server.service.now << 16
                let owner = try await server.service.member(try #require(Token(server.owner.token)))
                for number in UInt64(1)...8 {
                    let changes = (UInt64(0)..<64).map { place in
                        let low = number * 1000 + place
                        let text = String(repeating: "\(low) ", count: 800)
                        let note = Put(
                            content: ContentCoding.encode([.init(property: PropertyID(1), value: .string(text))]))
                        return Change(
                            key: RecordKey(entity: EntityID(1), id: RecordID(high: 7, low: low)),
                            stamp: HybridTimestamp(time: stamp + low, replica: server.owner.replica),
                            kind: .put(note.encoded(), base: nil))
                    }
                    let push = PushRequest(number: number, checkpoint: nil, transactions: [.init(changes: changes)])
                    // Pushed directly, because on a busy machine a body may take longer to arrive than this test allows.
                    let reply = try await server.service.push(
                        push.protobuf(), as: .protobuf, replyAs: .protobuf, by: owner)
                    #expect(try PushReply(protobuf: reply).results.count == 1)
                }
                let pull = TestServer.request("GET", "/v1/pull", token: server.owner.token)
                var replies = 16
                // A busy server may still be making the pages when the client starts to read, so each next client starts later.
                for seconds in [3, 6, 12, 24] where replies == 16 {
                    let connection = try RawConnection(port: server.port, seconds: 20)
                    // In total more bytes than the system buffers for a client, and fewer requests than a device may have at
                    // once.
                    connection.send((0..<16).flatMap { _ in pull })
                    try await Task.sleep(for: .seconds(seconds))
                    #expect(try await server.call("GET", "/v1/pull")?.status == 200)
                    replies = try await offTasks { connection.receive(16).count }
                }
                #expect(replies < 16)
            })
    }
}
