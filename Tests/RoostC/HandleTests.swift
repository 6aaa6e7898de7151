import Foundation
import RoostC
import RoostModel
import Testing

/// Handles, and calls that exclude each other.
@Suite(.onOwnThreads) struct HandleTests {
    @Test func aClosedHandleIsAnError() throws {
        let replica = try CReplica()
        #expect(try CLibrary.answer { closeReplica(replica.handle, $0, $1) }.status == 0)
        for function in [fetch, status, write, startLive, migrate] as [CLibrary.Function] {
            let answer = try replica.call(function, #"{"entity": "Person", "operations": []}"#)
            #expect([ErrorNumber.closed, ErrorNumber.misuse].contains(answer.status))
        }
        let answer = try replica.call(status)
        #expect(answer.status == ErrorNumber.closed && answer.code == "closedHandle")
        #expect(try CLibrary.answer { closeReplica(replica.handle, $0, $1) }.status == ErrorNumber.closed)
        for handle in [0, -1, Int64.max, Int64.min, 17] {
            #expect(try CLibrary.call(status, handle).code == "unknownHandle", "\(handle)")
        }
    }

    @Test func aHandleOfAnotherKindIsAnError() throws {
        let replica = try CReplica()
        let (observation, _) = try CLibrary.open({ observe(replica.handle, $0, $1, nil, nil, $2, $3, $4) }, "{}")
        #expect(try CLibrary.call(status, observation).code == "wrongHandle")
        #expect(try CLibrary.call(nextEvent, replica.handle).code == "wrongHandle")
        #expect(try CLibrary.answer { unobserve(observation, $0, $1) }.status == 0)
        #expect(try CLibrary.answer { unobserve(observation, $0, $1) }.code == "closedHandle")
    }

    @Test func aTextIsFreedOnce() throws {
        var (out, length) = (UnsafeMutablePointer<CChar>?.none, 0)
        #expect(RoostC.status(0, nil, 0, &out, &length) == ErrorNumber.closed)
        #expect(freeText(out) == 0)
        #expect(freeText(out) == ErrorNumber.misuse)
        #expect(freeText(nil) == 0)
        var own: CChar = 0
        #expect(freeText(&own) == ErrorNumber.misuse)
        // Without addresses for the result nothing can be returned.
        #expect(RoostC.status(0, nil, 0, nil, &length) == ErrorNumber.misuse)
        #expect(RoostC.status(0, nil, 0, &out, nil) == ErrorNumber.misuse)
    }

    @Test func absurdLengthsAreRefused() throws {
        let replica = try CReplica()
        for length in [-1, Int.min, Int.max, (64 << 20) + 1] {
            let answer = try CLibrary.answer { out, outLength in
                "{}".utf8CString.withUnsafeBufferPointer {
                    RoostC.status(replica.handle, $0.baseAddress, length, out, outLength)
                }
            }
            #expect(answer.code == "badLength", "\(length)")
        }
        let null = try CLibrary.answer { RoostC.status(replica.handle, nil, 1, $0, $1) }
        #expect(null.code == "nullPointer")
        #expect(try CLibrary.answer { RoostC.status(replica.handle, nil, 0, $0, $1) }.status == 0)
    }

    @Test func migratingNeedsTheHandleAlone() throws {
        let replica = try CReplica()
        let (observation, _) = try CLibrary.open({ observe(replica.handle, $0, $1, nil, nil, $2, $3, $4) }, "{}")
        #expect(try replica.call(migrate).status == ErrorNumber.busy)
        #expect(try CLibrary.answer { unobserve(observation, $0, $1) }.status == 0)
        #expect(try replica.call(migrate).value == .members(("from", .integer(1)), ("to", .integer(1))))
        let next = CReplica.schema.utf8.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            .joined(separator: " ")
        let later = next.replacing(#""version": 1"#, with: #""version": 2"#).replacing(
            #"{"id": 1, "name": "title", "type": "string"}"#,
            with:
                #"{"id": 1, "name": "title", "type": "string"}, {"id": 2, "name": "note", "type": "string", "optional": true}"#
        )
        let answer = try replica.call(migrate, #"{"schema": \#(later)}"#)
        #expect(answer.value == .members(("from", .integer(1)), ("to", .integer(2))), "\(answer.value.text)")
        #expect(try replica.call(schema)["version"] == .integer(2))
        try replica.write(#"{"insert": "Team", "values": {"title": "A", "note": "new"}}"#)
    }

    @Test func theCopyOpensAsAReplica() throws {
        let replica = try CReplica()
        _ = try replica.addDinner()
        let path = replica.path + "-copy.roost"
        #expect(try replica.call(backup, #"{"path": "\#(path)"}"#).status == 0)
        #expect(try replica.call(backup, #"{"path": "\#(path)"}"#).code == "exists")
        let (copy, answer) = try CLibrary.open(openReplica, #"{"path": "\#(path)"}"#)
        #expect(answer.status == 0)
        #expect(try CLibrary.call(fetch, copy, #"{"entity": "Spending"}"#)["rows"]?.arrayValue?.count == 1)
        #expect(try CLibrary.call(check, copy)["sound"] == .boolean(true))
        #expect(try CLibrary.answer { closeReplica(copy, $0, $1) }.status == 0)
    }
}
