import Roost
import RoostModel
import RoostProtocol
import Session
import Testing

/// Lost records that exceed the size of one request (protocol.md §7.7).
@Suite struct RecoverySizeTests {
    @Test func whatIsLostComesBackInRequestsThatFit() throws {
        let server = try ScriptedServer()
        let limits = Limits()
        let records = (UInt64(1)...40).map { number in
            let stamp = HybridTimestamp(time: number << 16, replica: ReplicaID(rawValue: 2))
            let content = server.content(String(repeating: "x", count: 250_000))
            return RecordState(
                key: RecordKey(entity: EntityID(1), id: RecordID(high: 5, low: number)),
                put: .init(stamp: stamp, base: nil, encoded: Put(references: [], content: content).encoded()))
        }
        #expect(RecoverRequest(records: records).protobuf().count > 2 * limits.bodyBytesMax)
        _ = try server.replica.apply(records, checkpoint: [9], serverTime: nil)
        let pull = try #require(try server.start())
        let anew = try #require(server.refuse(pull, .historyChanged))
        var next = server.answer(anew, server.page(digest: ScopeDigest()))
        var brought: [RecordState] = []
        while case .recover(let part)? = next?.request, let order = next {
            #expect(!part.isEmpty && RecoverRequest(records: part).protobuf().count <= limits.bodyBytesMax)
            brought += part
            next = server.answer(order, .recovered(RecoverReply(stored: UInt64(part.count), serverTime: 0)))
        }
        #expect(brought.sorted { $0.key < $1.key } == records)
        _ = server.answer(try #require(next), server.page(digest: try server.replica.digest()))
        #expect(server.outcome == .upToDate)
        #expect(server.report.broughtBack == records.count)
    }
}
