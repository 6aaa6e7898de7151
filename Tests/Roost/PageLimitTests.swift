import Replica
import Roost
import RoostModel
import RoostProtocol
import Session
import Testing
import Transport

/// Pages that a limit of the server has cut (protocol.md §7.2).
@Suite struct PageLimitTests {
    @Test func pageOfIdentifiersThatMoreFollowIsApplied() throws {
        let server = try ScriptedServer()
        let order = try #require(try server.start())
        var page = server.page("Eve")
        (page.records, page.purged, page.hasMore) = ([], [server.key("Ana")], true)
        let next = server.answer(order, .pull(page))
        #expect(next?.request == .pullAhead(since: [1, 2, 3]))
        #expect(try server.replica.checkpoint() == [1, 2, 3])
    }

    /// A server may skip records of the device itself.
    @Test func pageWithNothingButALaterCheckpointIsApplied() throws {
        let server = try ScriptedServer()
        let order = try #require(try server.start())
        var page = server.page("Eve")
        (page.records, page.hasMore) = ([], true)
        #expect(server.answer(order, .pull(page))?.request == .pullAhead(since: [1, 2, 3]))
    }

    @Test func pageThatLeadsNowhereIsNoReply() throws {
        let server = try ScriptedServer()
        _ = try server.replica.apply([], checkpoint: [1, 2, 3], serverTime: nil)
        let order = try #require(try server.start())
        var page = server.page("Eve")
        (page.records, page.hasMore) = ([], true)
        #expect(server.answer(order, .pull(page)) == nil)
        #expect(server.outcome != .upToDate)
    }

    @Test func pageOfIdentifiersWithAReplyIsApplied() throws {
        let server = try ScriptedServer()
        _ = try server.replica.apply([], checkpoint: [9], serverTime: nil)
        try server.write("Ana")
        let order = try #require(try server.start())
        var page = server.page("Eve")
        (page.records, page.purged, page.hasMore) = ([], [server.key("Bob")], true)
        let next = server.answer(order, try server.accepted(try #require(order.request.pushed), page: page))
        #expect(next?.request == .pullAhead(since: [1, 2, 3]))
    }

    /// The largest transaction that a server stores fills a page, which may come with the reply to a push.
    @Test func largestPageIsWithinWhatAClientReads() {
        let limits = Limits()
        let stamp = HybridTimestamp(time: 1, replica: ReplicaID(rawValue: 1))
        let record = RecordState(
            key: RecordKey(entity: EntityID(200), id: RecordID(high: 1, low: 1)),
            put: .init(stamp: stamp, base: stamp, encoded: [UInt8](repeating: 0, count: 1000)), delete: stamp)
        let envelope = record.protobuf().count - 1000 + 8
        let page = limits.transactionBytesMax + limits.changesPerTransactionMax * envelope
        #expect(page + limits.currentBytesMax + (1 << 20) <= TransportConfiguration().responseBytesMax)
    }
}
