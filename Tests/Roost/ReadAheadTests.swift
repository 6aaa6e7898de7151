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
        let ahead = try #require(server.readAhead(after: first, .success(page)))
        #expect(ahead.order.request == .pullAhead(since: [1, 2, 3]))
        #expect(ahead.order.token == first.token)
        let next = try #require(server.answer(first, page))
        #expect(server.takes(ahead, for: next))
    }

    @Test func nothingIsAskedForWithoutNeed() throws {
        #expect(server.readAhead(after: first, .failure(.timedOut(message: "slow"))) == nil)
        #expect(server.readAhead(after: first, .success(server.page(digest: nil))) == nil)
        let next = try #require(server.answer(first, page))
        // The first has been answered.
        #expect(server.readAhead(after: first, .success(page)) == nil)
        #expect(server.readAhead(after: next, .success(page)) != nil)
    }

    /// The page that is under way is from before the push, and the driver would take it for one from after.
    @Test func pushThatGoesOnMeanwhileMakesItUseless() throws {
        let ahead = try #require(server.readAhead(after: first, .success(page)))
        try server.write("Ana")
        let push = try #require(server.localChange())
        #expect(push.request.pushed != nil)
        let next = try #require(server.answer(first, page))
        #expect(next.request == .pull(since: [1, 2, 3], waitSeconds: 0))
        #expect(!server.takes(ahead, for: next))
    }
}
