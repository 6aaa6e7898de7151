import RoostModel
import RoostProtocol
import RoostService
import Testing

/// Pushes according to protocol.md §6, sent by a client that has only JSON.
@Suite struct PushConformanceTests {
    private static let names = RecordJSON(
        Schema(
            name: "notes", version: 1,
            entities: [
                Entity(
                    id: EntityID(1), name: "Note",
                    attributes: [.init(id: PropertyID(1), name: "title", kind: .string)], relationships: [])
            ]))

    private static let renamed = """
        {"format": 1, "name": "notes", "version": 2, "entities": [
          {"id": 1, "name": "Note", "attributes": [{"id": 1, "name": "heading", "type": "string"}]}]}
        """

    private func publish(_ schema: String, on server: TestServer) async throws {
        let reply = try await server.call(
            "PUT", "/v1/schema", fields: ["Content-Type: application/json"],
            body: JSONValue.members(("schema", .string(schema))).encoded)
        #expect(reply?.status == 200)
    }

    /// Returns a change of one record as JSON text.
    private func change(_ server: TestServer, counter: Int = 1, put: String) -> String {
        let stamp = HybridTimestamp(
            milliseconds: server.service.now, counter: UInt16(counter), replica: server.owner.replica)
        return #"""
            {"entity": "Note", "record": "01890000-0000-7000-8000-000000000001", "stamp": "\#(stamp)", "put": \#(put)}
            """#
    }

    private func push(_ server: TestServer, _ body: String, _ path: String = "/v1/push") async throws
        -> RawConnection.Reply?
    {
        try await server.call("POST", path, fields: ["Content-Type: application/json"], body: Array(body.utf8))
    }

    /// A lost reply is sent again, although the bytes of the push cannot be decoded under the current names (§6.3).
    @Test func repeatedPushGetsItsReplyAfterARename() async throws {
        try await TestServer.run { server in
            let body = try server.push(1).json(Self.names).encoded
            let fields = ["Content-Type: application/json"]
            let first = try await server.call("POST", "/v1/push", fields: fields, body: body)
            #expect(first?.status == 200)
            try await publish(Self.renamed, on: server)
            let again = try await server.call("POST", "/v1/push", fields: fields, body: body)
            #expect(again?.status == 200)
            #expect(again?.body == first?.body)
            let other = try server.push(2, title: "Tea").json(Self.names).encoded
            #expect(try await server.call("POST", "/v1/push", fields: fields, body: other)?.code == "bad_request")
            let shared = try await server.call("POST", "/v1/push?since=", fields: fields, body: body)
            #expect(shared?.status == 200)
            #expect(shared?.json["results"] == first?.json["results"])
        }
    }

    /// A record that cannot be expressed in JSON is left out of the page, as in a pull. The push is stored and answered.
    @Test func jsonPushWithSinceIsAnsweredBesideADamagedRecord() async throws {
        try await TestServer.run { server in
            _ = try await push(
                server, #"{"number": 1, "transactions": [{"changes": [\#(change(server, put: "{}"))]}]}"#)
            try server.service.store.write { transaction in
                let key = RecordKey(
                    entity: EntityID(1), id: RecordID(high: 0x0189_0000_0000_7000, low: 0x8000_0000_0000_0001))
                var record = try #require(try transaction.record(key, in: .init(1)))
                record.message = [0x08]
                try transaction.put(record, key, in: .init(1))
            }
            let reply = try await push(server, #"{"number": 2}"#, "/v1/push?since=")
            #expect(reply?.status == 200)
            #expect(reply?.json["number"]?.integerValue == 2)
            #expect(reply?.json["page"]?["records"]?.arrayValue == [])
        }
    }

    /// An empty member may be omitted (§5.6).
    @Test(arguments: [
        #"{"number": 1}"#, #"{"number": 1, "transactions": null}"#, #"{"number": 1, "transactions": []}"#,
    ])
    func pushWithoutTransactionsIsAPush(body: String) async throws {
        try await TestServer.run { server in
            let reply = try await push(server, body)
            #expect(reply?.status == 200)
            #expect(try await server.call("GET", "/v1/me")?.json["lastPush"]?.integerValue == 1)
        }
    }

    // MARK: A restored server

    /// The push has a checkpoint that this copy of the scope never made, so the server was restored. This precedes all other
    /// reasons to refuse the push.
    @Test(arguments: ["server_rolled_back", "clock_ahead", "stamps_not_increasing", "foreign_stamp"])
    func refusedPushWithALaterCheckpointBeginsTheRecovery(code: String) async throws {
        try await TestServer.run { server in
            let later = try await lostCheckpoint(server)
            var request = server.push(1)
            request.checkpoint = later
            var change = request.transactions[0].changes[0]
            switch code {
            case "server_rolled_back": request.number = 9
            case "clock_ahead":
                change.stamp = HybridTimestamp(milliseconds: 1 << 46, counter: 0, replica: server.owner.replica)
            case "stamps_not_increasing": change.stamp = HybridTimestamp(time: 0, replica: server.owner.replica)
            default: change.stamp = HybridTimestamp(time: 1 << 60, replica: ReplicaID(rawValue: 5))
            }
            request.transactions[0].changes = [change]
            let reply = try await server.call(
                "POST", "/v1/push", fields: ["Content-Type: application/x-protobuf"], body: request.protobuf())
            #expect(reply?.code == code)
            let scope = try server.service.store.read { try $0.scope(.init(1)) }
            #expect(scope?.past.isRecovering(at: server.service.now) == true)
            // A replica that considers only the refusal pulls from its checkpoint, and learns the reason there.
            #expect(try await server.call("GET", "/v1/pull?since=\(later)")?.code == "history_changed")
        }
    }

    /// Returns a checkpoint after a transaction that is no longer stored.
    private func lostCheckpoint(_ server: TestServer) async throws -> Checkpoint {
        let before = try server.service.store.read { try $0.scope(.init(1)) }
        _ = try await server.call(
            "POST", "/v1/push", fields: ["Content-Type: application/x-protobuf"], body: server.push(1).protobuf())
        let page = try await server.call("GET", "/v1/pull")
        let checkpoint = try #require(page?.json["checkpoint"]?.stringValue.flatMap { Checkpoint($0) })
        try server.service.store.write { transaction in
            try transaction.update(try #require(before).head, of: .init(1))
            try transaction.update(StoredProgress(), of: server.owner.replica, in: .init(1))
        }
        return checkpoint
    }

    // MARK: Values

    /// Integers beyond 2^53 are sent as text in both encodings (§3).
    @Test(arguments: [
        ("9007199254740993", true), ("-9223372036854775808", true), ("0", true), ("9223372036854775808", false),
        ("+1", false), ("007", false), ("-0", false), ("-", false), ("", false), ("1.0", false), ("1e3", false),
        (" 1", false), ("٣", false),
    ])
    func integerAsTextHasOneForm(text: String, isRead: Bool) async throws {
        try await TestServer.run { server in
            let put = ##"{"#99": {"integer": "\##(text)"}}"##
            let body = #"{"number": 1, "transactions": [{"changes": [\#(change(server, put: put))]}]}"#
            let reply = try await push(server, body)
            #expect(reply?.status == (isRead ? 200 : 400))
        }
    }

    @Test(arguments: [
        ##"{"#99": {"null": false}}"##, ##"{"#99": {"null": 1}}"##, ##"{"#99": {"bytes": "YR=="}}"##,
        ##"{"#99": {"bytes": "YWJ="}}"##, ##"{"#99": {"bytes": "YQ"}}"##, ##"{"#99": {"real": "1.5"}}"##,
        ##"{"#99": {"real": "infinity"}}"##, ##"{"#099": {"null": true}}"##, ##"{"#+9": {"null": true}}"##,
        ##"{"#99": {"integer": 1, "text": "a"}}"##, ##"{"#": "EgA"}"##,
    ])
    func valueInAnotherFormIsABadRequest(put: String) async throws {
        try await TestServer.run { server in
            let body = #"{"number": 1, "transactions": [{"changes": [\#(change(server, put: put))]}]}"#
            let code = try await push(server, body)?.code
            #expect(code == "bad_request")
        }
    }

    @Test(arguments: [
        ("application/json; charset=utf-16", 415), ("application/json; charset=latin1", 415),
        ("application/json; charset=utf-8", 200), (#"application/json;charset="UTF-8""#, 200),
        ("application/json; v=1", 200), ("application/jsonx", 415),
    ])
    func bodyIsUTF8OrUnsupported(type: String, status: Int) async throws {
        try await TestServer.run { server in
            let reply = try await server.call(
                "POST", "/v1/push", fields: ["Content-Type: \(type)"], body: Array(#"{"number": 1}"#.utf8))
            #expect(reply?.status == status)
        }
    }

    // MARK: Digests of a JSON client

    /// A page in JSON suffices: the sum of §7.5 over its stamps and hashes is the digest.
    @Test func digestFollowsFromAPageInJSON() async throws {
        try await TestServer.run { server in
            let second = TestServer.key(2)
            let stamp = HybridTimestamp(milliseconds: server.service.now + 9, counter: 0, replica: server.owner.replica)
            var request = server.push(1)
            request.transactions.append(.init(changes: [Change(key: second, stamp: stamp, kind: .delete)]))
            let fields = ["Content-Type: application/x-protobuf"]
            _ = try await server.call("POST", "/v1/push", fields: fields, body: request.protobuf())
            let page = try await server.call("GET", "/v1/pull")
            var sum: UInt128 = 0
            for record in page?.json["records"]?.arrayValue ?? [] {
                let zeros = String(repeating: "0", count: 32)
                let id = try #require(record["record"]?.stringValue).filter { $0 != "-" }
                let digits =
                    "00000001" + id + (record["stamp"]?.stringValue ?? zeros) + (record["hash"]?.stringValue ?? zeros)
                    + (record["deleted"]?.stringValue ?? zeros)
                let hash = SHA256Digest.of(try #require(Hex.decode(digits.utf8)))
                sum &+= hash.prefix(16).reduce(0) { $0 << 8 | UInt128($1) }
            }
            let digest = try #require(page?.json["digest"]?.stringValue)
            #expect(UInt128(digest, radix: 16) == sum)
        }
    }

    /// Each put of a page has its content hash, and each value of a wrong type has the form of §5.6.
    @Test func recordsHaveTheirHashAndUnfitValuesTheirForm() async throws {
        try await TestServer.run { server in
            let put = ##"{"#1": {"integer": 7}}"##
            let body = #"{"number": 1, "transactions": [{"changes": [\#(change(server, put: put))]}]}"#
            #expect(try await push(server, body)?.status == 200)
            let record = try await server.call("GET", "/v1/pull")?.json["records"]?.arrayValue?.first
            #expect(record?["put"]?.text == put.filter { $0 != " " })
            let encoded = Put(content: ContentCoding.encode([.init(property: PropertyID(1), value: .integer(7))]))
            #expect(record?["hash"]?.stringValue == Hex.encode(ContentHash(of: encoded.encoded()).bytes))
        }
    }
}
