import RoostModel
import RoostProtocol
import Testing

/// Messages of others are read no further than to the first item too many: what follows here is no message.
@Suite struct BoundedReadingTests {
    private static let rest: [UInt8] = [255]

    private static func error(ofPush bytes: [UInt8], as type: MediaType = .protobuf, changesMax: Int = 2)
        -> CodingError?
    {
        #expect(throws: CodingError.self) {
            try PushRequest(bytes, as: type, Samples.names(), changesMax: changesMax)
        }
    }

    @Test func nothingIsReadAfterAnEmptyTransaction() {
        let push = PushRequest(
            number: 1, checkpoint: nil, transactions: [Samples.push.transactions[1], .init(changes: [])])
        let error = Self.error(ofPush: push.protobuf() + Self.rest)
        #expect(error == CodingError("transaction 1 is empty. Leave it out."))
    }

    @Test func nothingIsReadAfterTheLastChangeOfALimit() {
        #expect(Self.error(ofPush: Samples.push.protobuf() + Self.rest)?.cause == .tooMany)
        #expect(Self.error(ofPush: Samples.push.protobuf() + Self.rest, changesMax: 3)?.cause == .malformed)
    }

    @Test func changesInJSONAreBounded() throws {
        let names = try Samples.names()
        let text = try Samples.push.encoded(as: .json, names)
        #expect(Self.error(ofPush: text, as: .json)?.cause == .tooMany)
        #expect(try PushRequest(text, as: .json, names, changesMax: 3) == Samples.push)
        let empty = Array(#"{"number":1,"transactions":[{},0]}"#.utf8)
        #expect(Self.error(ofPush: empty, as: .json)?.reason == "transaction 0 is empty. Leave it out.")
    }

    @Test(arguments: [MediaType.protobuf, .json])
    func recordsOfARecoveryAreBounded(type: MediaType) throws {
        let names = try Samples.names()
        let count = Samples.recovery.records.count
        let body = try Samples.recovery.encoded(as: type, names)
        let error = #expect(throws: CodingError.self) {
            try RecoverRequest(
                type == .json ? body : body + Self.rest, as: type, names, recordsMax: count - 1)
        }
        #expect(error?.cause == .tooMany)
        #expect(try RecoverRequest(body, as: type, names, recordsMax: count) == Samples.recovery)
    }
}
