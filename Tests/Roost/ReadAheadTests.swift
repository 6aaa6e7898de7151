import Replica
import Roost
import RoostModel
import RoostProtocol
import Session
import Testing

/// The next page is asked for while the one in hand is taken in.
@Suite struct ReadAheadTests {
    private let server: ScriptedServer
    private let first: SyncDriver.Order
    private let page: SyncDriver.Answer

    /// A device that pulls, and a page after which there is more.
    init() throws {
        server = try ScriptedServer()
        first = try #require(try server.start())
        var page = server.page("Eve")
        page.hasMore = true
        self.page = .pull(page)
    }

    @Test func whatIsAskedForAheadIsWhatIsOrderedNext() throws {
        let ahead = try #require(ReadAhead(after: first, .success(page), server.driver))
        #expect(ahead.order.request == .pullAhead(since: [1, 2, 3]))
        #expect(ahead.order.token == first.token)
        let next = try #require(server.answer(first, page))
        #expect(ahead.serves(next, server.driver))
    }

    @Test func nothingIsAskedForWithoutNeed() throws {
        #expect(ReadAhead(after: first, .failure(.timedOut(message: "slow")), server.driver) == nil)
        #expect(ReadAhead(after: first, .success(server.page(digest: nil)), server.driver) == nil)
        let next = try #require(server.answer(first, page))
        // The first has been answered.
        #expect(ReadAhead(after: first, .success(page), server.driver) == nil)
        #expect(ReadAhead(after: next, .success(page), server.driver) != nil)
    }

    /// The page that is under way is from before the push, and the driver would take it for one from after.
    @Test func pushThatGoesOnMeanwhileMakesItUseless() throws {
        let ahead = try #require(ReadAhead(after: first, .success(page), server.driver))
        try server.write("Ana")
        let push = try #require(server.localChange())
        #expect(push.request.pushed != nil)
        let next = try #require(server.answer(first, page))
        #expect(next.request == .pull(since: [1, 2, 3], waitSeconds: 0))
        #expect(!ahead.serves(next, server.driver))
    }
}
