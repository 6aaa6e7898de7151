import RoostCompression
import RoostModel
import RoostProtocol
import RoostService
import Testing

@Suite struct RecordRouteTests {
    private static let protobuf = ["Content-Type: application/x-protobuf"]

    @Test func pushAndPullAsProtobuf() async throws {
        try await TestServer.run { server in
            let pushed = try await server.call(
                "POST", "/v1/push", fields: Self.protobuf, body: server.push(1).protobuf())
            let reply = try PushReply(protobuf: pushed?.body ?? [])
            #expect(reply.results == [.accepted(sequence: 1, outcomes: [])])
            let pulled = try await server.call("GET", "/v1/pull", fields: ["Accept: application/x-protobuf"])
            #expect(pulled?.field("Content-Type") == "application/x-protobuf")
            #expect(try PullReply(protobuf: pulled?.body ?? []).records.count == 1)
        }
    }

    @Test func pushAndPullAsJSON() async throws {
        try await TestServer.run { server in
            let names = RecordJSON(try Schema(json: TestServer.schema))
            let pushed = try await server.post("/v1/push", server.push(1).json(names))
            #expect(pushed?.json["results"]?.arrayValue?.first?["sequence"]?.integerValue == 1)
            let pulled = try await server.call("GET", "/v1/pull")
            let record = pulled?.json["records"]?.arrayValue?.first
            #expect(record?["entity"]?.stringValue == "Note")
            #expect(record?["put"]?["title"]?.stringValue == "Lunch")
        }
    }

    @Test(arguments: [MediaType.json, .protobuf])
    func pushBringsThePageAfterACheckpointInEitherEncoding(type: MediaType) async throws {
        try await TestServer.run { server in
            let names = RecordJSON(try Schema(json: TestServer.schema))
            let fields = ["Content-Type: \(type.rawValue)"]
            let body = try server.push(1).encoded(as: type, names)
            let wrong = try await server.call("POST", "/v1/push?since=xyz", fields: fields, body: body)
            #expect(wrong?.status == 400)
            let pushed = try await server.call("POST", "/v1/push?since=", fields: fields, body: body)
            let page = try #require(try PushReply(pushed?.body ?? [], as: type, names).page)
            #expect(page.records.count == 1)
            let next = try await server.call(
                "POST", "/v1/push?since=\(page.checkpoint)", fields: fields, body: body)
            #expect(try PushReply(next?.body ?? [], as: type, names).page?.records == [])
        }
    }

    /// After an interrupted push, a device asks for the reply to find out whether the push was stored.
    @Test(arguments: [MediaType.json, .protobuf])
    func replyToTheLastPushIsGivenAgain(type: MediaType) async throws {
        try await TestServer.run { server in
            let names = RecordJSON(try Schema(json: TestServer.schema))
            let fields = ["Accept: \(type.rawValue)"]
            let before = try await server.call("GET", "/v1/push?number=1", fields: fields)
            #expect(before?.status == 204 && before?.body.isEmpty == true)
            let body = try server.push(1).encoded(as: type, names)
            let pushed = try await server.call(
                "POST", "/v1/push", fields: ["Content-Type: \(type.rawValue)"], body: body)
            let again = try await server.call("GET", "/v1/push?number=1", fields: fields)
            #expect(again?.status == 200 && again?.body == pushed?.body)
            // Another push had the number before the file lost its last commits. Its reply does not apply to this push.
            let hash = Hex.encode(SHA256Digest.of(body))
            let same = try await server.call("GET", "/v1/push?number=1&hash=\(hash)", fields: fields)
            #expect(same?.status == 200)
            let other = Hex.encode(SHA256Digest.of(body + [0]))
            let forked = try await server.call("GET", "/v1/push?number=1&hash=\(other)", fields: fields)
            #expect(forked?.status == 409 && forked?.code == "replica_forked")
            let noHash = try await server.call("GET", "/v1/push?number=1&hash=00", fields: fields)
            #expect(noHash?.status == 400)
            #expect(try await server.call("GET", "/v1/push?number=2", fields: fields)?.status == 204)
            #expect(try await server.call("GET", "/v1/push", fields: fields)?.status == 400)
            #expect(try await server.call("GET", "/v1/push?number=0", fields: fields)?.status == 400)
            _ = try await server.call(
                "POST", "/v1/push", fields: ["Content-Type: \(type.rawValue)"],
                body: try server.push(2).encoded(as: type, names))
            let earlier = try await server.call("GET", "/v1/push?number=1", fields: fields)
            #expect(earlier?.code == "replica_forked")
        }
    }

    @Test(arguments: [MediaType.json, .protobuf])
    func recordsAreBroughtBackInEitherEncoding(type: MediaType) async throws {
        try await TestServer.run { server in
            let names = RecordJSON(try Schema(json: TestServer.schema))
            let change = try #require(server.push(1).changes.first)
            guard case .put(let encoded, _) = change.kind else { return }
            let lost = RecoverRequest(records: [
                RecordState(key: change.key, put: .init(stamp: change.stamp, base: nil, encoded: encoded))
            ])
            let (fields, body) = (["Content-Type: \(type.rawValue)"], try lost.encoded(as: type, names))
            let early = try await server.call("POST", "/v1/recover", fields: fields, body: body)
            #expect(early?.status == 409)
            #expect(early?.code == "not_recovering")
            let handler = RecoveryHandler(limits: Limits(), random: RandomSource(SystemRandomNumberGenerator()))
            _ = try server.service.store.write { try handler.beginAll(in: $0, now: server.service.now) }
            let reply = try await server.call("POST", "/v1/recover", fields: fields, body: body)
            #expect(reply?.field("Content-Type") == type.rawValue)
            #expect(try RecoverReply(reply?.body ?? [], as: type, names).stored == 1)
            #expect(try await server.call("GET", "/v1/pull")?.json["records"]?.arrayValue?.count == 1)
        }
    }

    @Test func replyIsInTheEncodingAccepted() async throws {
        try await TestServer.run { server in
            let fields = Self.protobuf + ["Accept: application/json"]
            let reply = try await server.call("POST", "/v1/push", fields: fields, body: server.push(1).protobuf())
            #expect(reply?.json["number"]?.integerValue == 1)
        }
    }

    @Test func samePushAgainGetsTheSameBytes() async throws {
        try await TestServer.run { server in
            let body = server.push(1).protobuf()
            let first = try await server.call("POST", "/v1/push", fields: Self.protobuf, body: body)
            let second = try await server.call("POST", "/v1/push", fields: Self.protobuf, body: body)
            #expect(first?.status == 200)
            #expect(first?.body == second?.body)
        }
    }

    @Test(arguments: [ContentEncoding.gzip, .zstd])
    func compressedPushIsTheSamePush(encoding: ContentEncoding) async throws {
        try await TestServer.run { server in
            let body = server.push(1).protobuf()
            let sent = encoding == .gzip ? try Compression.gzip(body) : try Compression.zstd(body)
            let fields = Self.protobuf + ["Content-Encoding: \(encoding.rawValue)"]
            let first = try await server.call("POST", "/v1/push", fields: fields, body: sent)
            let again = try await server.call("POST", "/v1/push", fields: Self.protobuf, body: body)
            #expect(first?.status == 200)
            #expect(first?.body == again?.body)
        }
    }

    @Test(arguments: [("zstd, gzip", "zstd"), ("gzip", "gzip"), ("br", nil), ("zstd;q=0, gzip", "gzip")])
    func longReplyIsCompressedAsAccepted(accepted: String, expected: String?) async throws {
        try await TestServer.run { server in
            let push = server.push(1, title: String(repeating: "x", count: 1000)).protobuf()
            _ = try await server.call("POST", "/v1/push", fields: Self.protobuf, body: push)
            let fields = ["Accept: application/x-protobuf", "Accept-Encoding: \(accepted)"]
            let reply = try #require(try await server.call("GET", "/v1/pull", fields: fields))
            #expect(reply.field("Content-Encoding") == expected)
            let encoding = expected.flatMap { ContentEncoding(rawValue: $0) } ?? .identity
            let body = try Compression.decompress(reply.body, encoding: encoding, bytesMax: 1 << 20, ratioMax: 1000)
            #expect(try PullReply(protobuf: body).records.count == 1)
        }
    }

    @Test func errorCarriesTimeAndRequest() async throws {
        try await TestServer.run { server in
            let reply = try #require(
                try await server.call("POST", "/v1/push", fields: Self.protobuf, body: server.push(2).protobuf()))
            #expect(reply.status == 409)
            let error = try ProtocolError(json: reply.json)
            #expect(error.code == .serverRolledBack)
            #expect(error.serverTime != nil)
            #expect(error.requestID != nil)
        }
    }

    // MARK: Waiting

    @Test func waitingPullEndsWithNews() async throws {
        try await TestServer.run { server in
            let invite = try await server.post("/v1/invites", .members(("role", .string("viewer"))))
            let join = JSONValue.members(
                ("invite", invite?.json["token"]), ("device", .string("Bruno")), ("nonce", .string("bruno-nonce")))
            let token = try await server.post("/v1/join", join)?.json["token"]?.stringValue
            let waiting = Task { try await server.call("GET", "/v1/pull?wait=30", token: token) }
            while server.service.waitingRoom.count == 0 { try await Task.sleep(for: .milliseconds(5)) }
            _ = try await server.call("POST", "/v1/push", fields: Self.protobuf, body: server.push(1).protobuf())
            #expect(try await waiting.value?.json["records"]?.arrayValue?.count == 1)
        }
    }

    @Test func waitingPullEndsWhenItsTimeIsUp() async throws {
        try await TestServer.run { server in
            let reply = try await server.call("GET", "/v1/pull?wait=1")
            #expect(reply?.json["records"]?.arrayValue?.isEmpty == true)
        }
    }

    @Test func waitingPullEndsWhenTheClientGoes() async throws {
        try await TestServer.run { server in
            try await offTasks { [port = server.port, token = server.owner.token] in
                let connection = try RawConnection(port: port)
                connection.send(TestServer.request("GET", "/v1/pull?wait=50", token: token))
            }
            // The client has closed the connection, so the wait ends without a reply.
            while server.service.waitingRoom.count > 0 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(try await server.isHealthy())
        }
    }

    /// The end of the connection may be read before the pull starts to wait, and is reported only once.
    @Test func pullOfAClientThatHasGoneByThenDoesNotWait() async throws {
        try await TestServer.run(
            limits: {
                $0.requestsPerSecond = 0; $0.waitsPerReplicaMax = 100
            },
            { server in
                let request = TestServer.request("GET", "/v1/pull?wait=50", token: server.owner.token)
                let statuses = try await offTasks { [port = server.port] in
                    let connections = try (0..<32).map { _ in
                        let connection = try RawConnection(port: port, seconds: 30)
                        connection.send(request)
                        connection.endSending()
                        return connection
                    }
                    return connections.map { $0.receive()?.status }
                }
                #expect(statuses == Array(repeating: 499, count: 32))
            })
    }

    @Test func thirdWaitOfADeviceIsRefused() async throws {
        try await TestServer.run { server in
            let waiting = (0..<2).map { _ in Task { try await server.call("GET", "/v1/pull?wait=20") } }
            while server.service.waitingRoom.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
            let third = try await server.call("GET", "/v1/pull?wait=20")
            #expect(third?.status == 429)
            #expect(third?.field("Retry-After") != nil)
            server.service.waitingRoom.close()
            for task in waiting { #expect(try await task.value?.status == 200) }
        }
    }

    @Test(arguments: ["wait=56", "wait=-1", "wait=x", "limit=0", "limit=-1", "ahead=2", "since=zz", "since=00"])
    func parameterOutOfItsRangeIsABadRequest(query: String) async throws {
        try await TestServer.run { server in
            let code = try await server.call("GET", "/v1/pull?\(query)")?.code
            #expect(code == "bad_request")
        }
    }
}
