import RoostModel
import RoostProtocol
import Testing

@Suite(
    .enabled(if: ProtocolCompiler.path != nil, "protoc is not installed (Debian package protobuf-compiler)"),
    .serialized)
struct ProtocolFileTests {
    private static let messages = [
        ("PushRequest", Samples.push.protobuf()), ("PushReply", Samples.reply.protobuf()),
        ("PullReply", Samples.page.protobuf()), ("RecoverRequest", Samples.recovery.protobuf()),
        ("RecoverReply", Samples.recovered.protobuf()), ("Put", Samples.put), ("Record", Samples.records[0].protobuf()),
        ("Content", ContentCoding.encode([.init(property: PropertyID(1), value: .boolean(false))])),
    ]

    /// Field numbers that the file did not have would be printed bare, and come back in another order.
    @Test(arguments: messages)
    func fileDescribesOurBytes(message: String, bytes: [UInt8]) throws {
        let text = try ProtocolCompiler.run("decode", message, bytes)
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        #expect(!lines.contains { $0.drop { $0 == " " }.first?.isNumber ?? true })
        #expect(!lines.isEmpty)
    }

    @Test func theirPushIsOurs() throws {
        let bytes = try ProtocolCompiler.run("decode", "PushRequest", Samples.push.protobuf())
        #expect(try PushRequest(protobuf: ProtocolCompiler.run("encode", "PushRequest", bytes)) == Samples.push)
    }

    @Test func theirPushReplyIsOurs() throws {
        let bytes = try ProtocolCompiler.run("decode", "PushReply", Samples.reply.protobuf())
        #expect(try PushReply(protobuf: ProtocolCompiler.run("encode", "PushReply", bytes)) == Samples.reply)
    }

    @Test func theirPageIsOurs() throws {
        let bytes = try ProtocolCompiler.run("decode", "PullReply", Samples.page.protobuf())
        #expect(try PullReply(protobuf: ProtocolCompiler.run("encode", "PullReply", bytes)) == Samples.page)
    }

    @Test func theirRecoveryIsOurs() throws {
        let bytes = try ProtocolCompiler.run("decode", "RecoverRequest", Samples.recovery.protobuf())
        let again = try ProtocolCompiler.run("encode", "RecoverRequest", bytes)
        #expect(try RecoverRequest(protobuf: again) == Samples.recovery)
    }

    @Test func theirRecoverReplyIsOurs() throws {
        let bytes = try ProtocolCompiler.run("decode", "RecoverReply", Samples.recovered.protobuf())
        let again = try ProtocolCompiler.run("encode", "RecoverReply", bytes)
        #expect(try RecoverReply(protobuf: again) == Samples.recovered)
    }

    @Test func pushWrittenByHandIsRead() throws {
        let text = """
            number: 1 transactions { changes { entity: 1 record: "0123456789abcdef" stamp: "0123456789abcdef" put: "" } }
            """
        let push = try PushRequest(protobuf: ProtocolCompiler.run("encode", "PushRequest", Array(text.utf8)))
        #expect(push.changes.map(\.kind) == [.put([], base: nil)])
    }
}
