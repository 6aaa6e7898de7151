import RoostModel
import RoostProtocol
import Testing

@Suite struct MessageCodingTests {
    private static let types = [MediaType.protobuf, .json]

    private static func again<Body: Message>(_ message: Body, as type: MediaType) throws -> Body {
        let names = try Samples.names()
        return try Body(message.encoded(as: type, names), as: type, names)
    }

    @Test(arguments: Samples.pushes, types)
    func pushRequestComesBack(_ push: PushRequest, type: MediaType) throws {
        #expect(try Self.again(push, as: type) == push)
    }

    @Test(arguments: Samples.replies, types)
    func pushReplyComesBack(_ reply: PushReply, type: MediaType) throws {
        #expect(try Self.again(reply, as: type) == reply)
    }

    @Test(arguments: Samples.pages, types)
    func pullReplyComesBack(_ page: PullReply, type: MediaType) throws {
        #expect(try Self.again(page, as: type) == page)
    }

    @Test(arguments: [Samples.recovery, RecoverRequest(records: [])], types)
    func recoverRequestComesBack(_ request: RecoverRequest, type: MediaType) throws {
        #expect(try Self.again(request, as: type) == request)
    }

    @Test(arguments: [Samples.recovered, RecoverReply(stored: 0, serverTime: 0)], types)
    func recoverReplyComesBack(_ reply: RecoverReply, type: MediaType) throws {
        #expect(try Self.again(reply, as: type) == reply)
    }

    /// An old client passes over what it does not know, so `purged` is left out where it is empty.
    @Test func pageThatPurgesNothingHasNoListOfIt() throws {
        #expect(try Samples.pages[0].json(Samples.names())["purged"] == nil)
    }

    @Test(arguments: ["", "0801", "12100102030405060708090a0b0c0d0e0f10", "08011201ff"])
    func nameOfARecordNeedsBothParts(_ hex: String) throws {
        var writer = ProtobufWriter()
        writer.append(Samples.page.protobuf())
        writer.writeBytes(7, Hex.decode(hex.utf8) ?? [])
        let error = #expect(throws: CodingError.self) { try PullReply(protobuf: writer.bytes) }
        #expect(error?.reason == "A RecordName needs an entity and an id.")
    }

    @Test func recordReadsAsAPlainObject() throws {
        let json = try Samples.push.json(Samples.names())
        let change = json["transactions"]?.arrayValue?[0]["changes"]?.arrayValue?[0]
        #expect(
            change?["put"]?.text
                == #"{"name":"Ana","age":-7,"boss":"01020304-0506-0708-0000-000000000009"}"#)
    }

    /// A field 1000 of each wire type, before and after what is known.
    @Test(arguments: ["c03e05", "c13e0102030405060708", "c23e02aabb", "c53e01020304"])
    func unknownFieldsArePassedOver(_ hex: String) throws {
        let field = try #require(Hex.decode(hex.utf8))
        #expect(try PushRequest(protobuf: field + Samples.push.protobuf() + field) == Samples.push)
        #expect(try PushReply(protobuf: field + Samples.reply.protobuf() + field) == Samples.reply)
        #expect(try PullReply(protobuf: field + Samples.page.protobuf() + field) == Samples.page)
        #expect(try RecoverRequest(protobuf: field + Samples.recovery.protobuf() + field) == Samples.recovery)
        #expect(try RecoverReply(protobuf: field + Samples.recovered.protobuf() + field) == Samples.recovered)
    }

    @Test func nullInJSONIsAsIfLeftOut() throws {
        let id = Samples.id
        let text = """
            {"number": 1, "checkpoint": null, "transactions": [{"continues": null, "changes": [
              {"entity": "Person", "record": "\(id)", "stamp": "\(Samples.stamp(1))", "put": null, "delete": true}]}]}
            """
        let push = try PushRequest(Array(text.utf8), as: .json, Samples.names())
        #expect(push.changes.map(\.kind) == [.delete])
    }

    @Test func emptyStampIsAsIfLeftOut() throws {
        var writer = ProtobufWriter()
        writer.writeVarint(1, 1)
        writer.writeBytes(2, Samples.id.bytes)
        writer.writeBytes(3, [])
        writer.writeBytes(6, Samples.stamp(4).bytes)
        let state = try RecordState(protobuf: writer.bytes)
        #expect(state == RecordState(key: RecordKey(entity: EntityID(1), id: Samples.id), delete: Samples.stamp(4)))
    }

    @Test(arguments: [3, 5, 6])
    func stampOfAnotherLengthIsRefused(field: Int) {
        var writer = ProtobufWriter()
        writer.append(Samples.records[0].protobuf())
        writer.writeBytes(field, [1, 2, 3])
        let error = #expect(throws: CodingError.self) { try RecordState(protobuf: writer.bytes) }
        #expect(error?.reason == "A stamp of Record has 3 bytes, expected 16.")
    }

    @Test func digestOfAnotherLengthIsRefused() {
        var writer = ProtobufWriter()
        writer.append(Samples.page.protobuf())
        writer.writeBytes(4, [1])
        let error = #expect(throws: CodingError.self) { try PullReply(protobuf: writer.bytes) }
        #expect(error?.reason == "The digest has 1 bytes, expected 16.")
    }

    @Test func checkpointHasALimit() {
        var writer = ProtobufWriter()
        writer.writeBytes(2, [UInt8](repeating: 1, count: 65))
        let error = #expect(throws: CodingError.self) { try PushRequest(protobuf: writer.bytes) }
        #expect(error?.reason == "The checkpoint of PushRequest has 65 bytes, expected at most 64.")
        #expect(Checkpoint(String(repeating: "00", count: 65)) == nil)
        #expect(Checkpoint("") == nil)
    }

    @Test func outcomeOfAnotherKindIsRefused() throws {
        let text = """
            {"number": 1, "serverTime": 1, "results": [
              {"sequence": 1, "outcomes": [{"index": 0, "kind": "lost", "other": "\(Samples.stamp(1))"}]}]}
            """
        let error = #expect(throws: CodingError.self) {
            try PushReply(Array(text.utf8), as: .json, Samples.names())
        }
        #expect(error?.reason == "An outcome, \"kind\" is a string, expected \"beaten\" or \"replaced\".")
    }

    @Test func greatestIndexDoesNotTrap() throws {
        let refusal = PushReply.Refusal(code: .gone, message: "Cannot edit it.", index: .max)
        let reply = PushReply(number: 1, results: [.refused(refusal)], serverTime: 1)
        #expect(try PushReply(protobuf: reply.protobuf()) == reply)
    }

    @Test func deepAttributeComesBackInJSON() throws {
        let deep = String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
        let schema = try Schema(
            json: """
                {"format": 1, "name": "test", "entities": [
                  {"id": 1, "name": "A", "attributes": [{"id": 1, "name": "j", "type": "json"}]}]}
                """)
        let put = Put(content: ContentCoding.encode([.init(property: PropertyID(1), value: .string(deep))])).encoded()
        let change = Change(
            key: RecordKey(entity: EntityID(1), id: Samples.id), stamp: Samples.stamp(1), kind: .put(put, base: nil))
        let push = PushRequest(number: 1, checkpoint: nil, transactions: [.init(changes: [change])])
        let names = RecordJSON(schema)
        #expect(try PushRequest(push.encoded(as: .json, names), as: .json, names) == push)
    }
}
