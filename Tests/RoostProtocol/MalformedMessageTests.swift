import RoostModel
import RoostProtocol
import Testing

/// Whatever the bytes, reading ends in a message or in a ``CodingError``.
@Suite struct MalformedMessageTests {
    private static let bodies = [
        Samples.push.protobuf(), Samples.reply.protobuf(), Samples.page.protobuf(),
        Samples.recovery.protobuf(), Samples.recovered.protobuf(),
    ]

    /// Reads the bytes as each message; typed throws leave nothing but a ``CodingError``, so that only a trap fails.
    private static func readAll(_ bytes: [UInt8]) {
        _ = try? PushRequest(protobuf: bytes).protobuf()
        _ = try? PushReply(protobuf: bytes).protobuf()
        _ = try? PullReply(protobuf: bytes).protobuf()
        _ = try? RecoverRequest(protobuf: bytes).protobuf()
        _ = try? RecoverReply(protobuf: bytes).protobuf()
    }

    @Test(arguments: bodies)
    func truncationNeverTraps(_ body: [UInt8]) {
        for count in body.indices { Self.readAll(Array(body.prefix(count))) }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func changedBytesNeverTrap(seed: UInt64) {
        var random = SplitMix64(state: seed)
        for _ in 0..<200 {
            var bytes = Self.bodies[Int(seed) % Self.bodies.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            Self.readAll(bytes)
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func randomBytesNeverTrap(seed: UInt64) {
        var random = SplitMix64(state: seed)
        for _ in 0..<200 {
            Self.readAll(
                (0..<Int.random(in: 0...60, using: &random)).map { _ in UInt8.random(in: 0...50, using: &random) })
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func changedJSONNeverTraps(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let names = try Samples.names()
        for _ in 0..<50 {
            var bytes = try Samples.reply.encoded(as: .json, names)
            bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0x20...0x7E, using: &random)
            _ = try? PushReply(bytes, as: .json, names).encoded(as: .protobuf, names)
        }
    }

    @Test(arguments: [
        ("{", "The body is not JSON: line 1, column 2: expected a name in quotes"),
        ("[]", "The body is an array, expected an object."),
        (#"{"transactions": []}"#, "The body has no \"number\", expected a whole number from 0."),
        (#"{"number": -1}"#, "The body, \"number\" is a number, expected a whole number from 0."),
        (#"{"number": 1, "transactions": 3}"#, "The body, \"transactions\" is a number, expected an array."),
        (#"{"number": 1, "transactions": [3]}"#, "Transaction 0 is a number, expected an object."),
        (
            #"{"number": 1, "transactions": [{"changes": [{"entity": "X"}]}]}"#,
            "Transaction 0, change 0, \"entity\" is \"X\", which the scope's schema does not have."
        ),
        (
            #"{"number": 1, "transactions": [{"changes": [{"entity": "Person", "record": "1"}]}]}"#,
            "Transaction 0, change 0, \"record\" is a string, expected a UUID of 36 characters."
        ),
    ])
    func faultIsNamedWithItsPlace(text: String, message: String) throws {
        let names = try Samples.names()
        let error = #expect(throws: CodingError.self) { try PushRequest(Array(text.utf8), as: .json, names) }
        #expect(error?.reason == message)
    }
}
