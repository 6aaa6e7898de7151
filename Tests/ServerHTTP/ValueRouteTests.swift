import RoostModel
import RoostProtocol
import RoostService
import TestSupport
import Testing

/// `Docs/values.md` for a server. It checks values in JSON when it reads them, never those in Protocol Buffers, and returns
/// stored values unchanged.
@Suite struct ValueRouteTests {
    private let names: RecordJSON
    private static let json = ["Content-Type: application/json", "Accept: application/json"]
    private static let protobuf = ["Content-Type: application/x-protobuf", "Accept: application/x-protobuf"]

    init() throws { names = RecordJSON(try Schema(json: ValueCase.schema)) }

    private func change(_ server: TestServer, _ number: Int, _ item: ValueCase) -> Change {
        let stamp = HybridTimestamp(
            milliseconds: server.service.now, counter: UInt16(number), replica: server.owner.replica)
        return Change(key: TestServer.key(UInt64(number)), stamp: stamp, kind: .put(item.put, base: nil))
    }

    private func request(_ server: TestServer, _ number: Int, _ items: [ValueCase]) -> PushRequest {
        PushRequest(
            number: UInt64(number), checkpoint: nil,
            transactions: items.enumerated().map {
                .init(changes: [change(server, number * 10 + $0.offset, $0.element)])
            })
    }

    /// Expects the puts of all records in pulls of both encodings.
    private func expectStored(_ puts: [[UInt8]], _ server: TestServer) async throws {
        for type in [MediaType.protobuf, .json] {
            let reply = try #require(
                try await server.call("GET", "/v1/pull", fields: ["Accept: \(type.rawValue)"]))
            #expect(reply.status == 200)
            let page = try PullReply(reply.body, as: type, names)
            #expect(page.records.map { $0.put?.encoded ?? [] } == puts, "\(type)")
        }
    }

    @Test(arguments: ValueCase.all.filter { $0.json != nil })
    func aJSONPushTakesWhatIsValid(_ item: ValueCase) async throws {
        try await TestServer.run(schema: ValueCase.schema) { server in
            let text = #"""
                {"number": 1, "transactions": [{"changes": [{"entity": "Sample", "record": "\#(RecordID(high: 1, low: 1))", "stamp":
                "\#(HybridTimestamp(milliseconds: server.service.now, counter: 1, replica: server.owner.replica))", "put": {"\#(item.column)": \#(item.json ?? "")}}]}]}
                """#
            let reply = try await server.call("POST", "/v1/push", fields: Self.json, body: Array(text.utf8))
            #expect(reply?.status == (item.isValid ? 200 : 400), "\(reply?.json ?? .null)")
            guard item.isValid else {
                #expect(reply?.code == "bad_request")
                return
            }
            try await expectStored([item.put], server)
        }
    }

    @Test(arguments: ValueCase.all)
    func aProtobufPushKeepsEachValue(_ item: ValueCase) async throws {
        try await TestServer.run(schema: ValueCase.schema) { server in
            let body = request(server, 1, [item]).protobuf()
            let reply = try await server.call("POST", "/v1/push", fields: Self.protobuf, body: body)
            #expect(reply?.status == 200)
            try await expectStored([item.put], server)
        }
    }

    /// Two values that look alike have different hashes, and both are returned unchanged.
    @Test(arguments: ValueCase.pairs)
    func whatLooksAlikeIsStoredAsItIs(_ one: ValueCase, _ other: ValueCase) async throws {
        try await TestServer.run(schema: ValueCase.schema) { server in
            let body = request(server, 1, [one, other]).protobuf()
            #expect(try await server.call("POST", "/v1/push", fields: Self.protobuf, body: body)?.status == 200)
            try await expectStored([one.put, other.put], server)
        }
    }

    /// NaN is sent in the put of another client, or by its name in JSON.
    @Test func whatIsNotANumberIsKept() async throws {
        let put = Put(content: ContentCoding.encode([.init(property: PropertyID(13), value: .double(.nan))])).encoded()
        try await TestServer.run(schema: ValueCase.schema) { server in
            for (number, type) in [MediaType.protobuf, .json].enumerated() {
                let stamp = HybridTimestamp(
                    milliseconds: server.service.now, counter: UInt16(number), replica: server.owner.replica)
                let change = Change(key: TestServer.key(UInt64(number)), stamp: stamp, kind: .put(put, base: nil))
                let push = PushRequest(
                    number: UInt64(number + 1), checkpoint: nil, transactions: [.init(changes: [change])])
                let reply = try await server.call(
                    "POST", "/v1/push", fields: ["Content-Type: \(type.rawValue)"],
                    body: push.encoded(as: type, names))
                #expect(reply?.status == 200, "\(type)")
            }
            try await expectStored([put, put], server)
        }
    }
}
