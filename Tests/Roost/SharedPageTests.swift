import Replica
import Roost
import RoostModel
import RoostProtocol
import Session
import Testing

/// Push and pull share a round trip (protocol.md §6.8).
@Suite struct SharedPageTests {
    @Test func oneRequestPushesAndPulls() throws {
        let server = try ScriptedServer()
        _ = try server.replica.apply([], checkpoint: [9], serverTime: nil)
        try server.write("Ana")
        let order = try #require(try server.start())
        let body = try #require(order.request.pushed)
        #expect(order.request == .pushAndPull(body, since: [9]))
        #expect(server.answer(order, try server.accepted(body, page: server.page("Eve"))) == nil)
        #expect(server.outcome == .upToDate)
        #expect((server.report.pushed, server.report.pulled) == (1, 1))
        #expect(try server.replica.checkpoint() == [1, 2, 3])
        #expect(
            try server.replica.select("select name from person order by name") == [[.string("Ana")], [.string("Eve")]])
    }

    /// A page without records, the usual page with a reply.
    private func emptyPage(of server: ScriptedServer) -> PullReply {
        var page = server.page("Eve")
        page.records = []
        return page
    }

    @Test func emptyPageIsTakenInWithTheReply() throws {
        let server = try ScriptedServer()
        _ = try server.replica.apply([], checkpoint: [9], serverTime: nil)
        try server.write("Ana")
        let order = try #require(try server.start())
        let body = try #require(order.request.pushed)
        var page = emptyPage(of: server)
        page.digest = try server.digest(after: body)
        #expect(server.answer(order, try server.accepted(body, page: page)) == nil)
        #expect(server.outcome == .upToDate)
        #expect((server.report.pushed, server.report.pulled) == (1, 0))
        #expect(try server.replica.checkpoint() == [1, 2, 3])
    }

    /// A page without a digest proves nothing: the server may have been restored from a backup.
    @Test func emptyPageWithoutADigestIsFollowedByAPull() throws {
        let server = try ScriptedServer()
        _ = try server.replica.apply([], checkpoint: [9], serverTime: nil)
        try server.write("Ana")
        let order = try #require(try server.start())
        let body = try #require(order.request.pushed)
        let pull = try #require(server.answer(order, try server.accepted(body, page: emptyPage(of: server))))
        #expect(pull.request == .pull(since: [1, 2, 3], waitSeconds: 0))
    }

    /// The digest of an empty page is compared like that of any page.
    @Test func digestOfAnEmptyPageIsCompared() throws {
        let server = try ScriptedServer()
        _ = try server.replica.apply([], checkpoint: [9], serverTime: nil)
        try server.write("Ana")
        let order = try #require(try server.start())
        var page = emptyPage(of: server)
        page.digest = ScopeDigest()
        let next = server.answer(order, try server.accepted(try #require(order.request.pushed), page: page))
        #expect(next?.request == .pull(since: nil, waitSeconds: 0))
    }

    /// Changes that were written during the round trip are pushed first. The applied page does not delay them.
    @Test func emptyPageThatWaitsForAnotherPushHoldsNothingUp() throws {
        let server = try ScriptedServer(.continuous(waitSeconds: 50))
        _ = try server.replica.apply([], checkpoint: [9], serverTime: nil)
        try server.write("Ana")
        let first = try #require(try server.start())
        #expect(first.request == .pushAndPull(try #require(first.request.pushed), since: [9]))
        try server.write("Bob")
        _ = server.localChange()
        let page = emptyPage(of: server)
        let reply = try server.accepted(try #require(first.request.pushed), page: page)
        let second = try #require(server.answer(first, reply))
        let next = server.answer(second, try server.accepted(try #require(second.request.pushed)))
        #expect(next?.request == .pull(since: [1, 2, 3], waitSeconds: 0))
        // If the page had to be requested again, this push would wait for it.
        try server.write("Chloé")
        #expect(server.localChange()?.request.pushed != nil)
    }

    @Test func serverThatGivesNoPageIsAskedForOne() throws {
        let server = try ScriptedServer()
        try server.write("Ana")
        let order = try #require(try server.start())
        let pull = server.answer(order, try server.accepted(try #require(order.request.pushed), serverTime: 0))
        #expect(pull?.request == .pull(since: nil, waitSeconds: 0))
    }

    @Test func moreIsPulledAfterAPageThatIsNotTheLast() throws {
        let server = try ScriptedServer()
        try server.write("Ana")
        let order = try #require(try server.start())
        var page = server.page("Eve")
        page.hasMore = true
        let next = server.answer(order, try server.accepted(try #require(order.request.pushed), page: page))
        #expect(next?.request == .pullAhead(since: [1, 2, 3]))
    }

    /// The server read the page after the push, so a digest that differs causes a full resynchronisation.
    @Test func digestOfAPageThatCameWithTheReplyIsCompared() throws {
        let server = try ScriptedServer()
        try server.write("Ana")
        let order = try #require(try server.start())
        var page = server.page("Eve")
        page.digest = ScopeDigest()
        let next = server.answer(order, try server.accepted(try #require(order.request.pushed), page: page))
        #expect(next?.request == .pull(since: nil, waitSeconds: 0))
    }

    /// The page includes the push, but the replica could not store the reply: the digests cannot be equal.
    @Test func digestIsNotComparedWhereTheReplyCouldNotBeWritten() throws {
        let server = try ScriptedServer(.continuous(waitSeconds: 50))
        var page = server.page("Eve")
        _ = try server.replica.apply(page.records, checkpoint: [9], serverTime: nil)
        try server.write("Ana")
        let order = try #require(try server.start())
        page.digest = ScopeDigest()
        page.schemaVersion = 2
        try server.plain("create unique index fault on roost_fact(entity)")
        let reply = try server.accepted(try #require(order.request.pushed), page: page)
        let fetch = try #require(server.answer(order, reply))
        #expect(fetch.request == .schema)
        try server.plain("drop index fault")
        server.now = try #require(server.deadline)
        #expect(server.timerFired()?.request.pushed != nil)
        let text = ScriptedServer.schema.replacing("\"version\": 1", with: "\"version\": 2")
        let next = server.answer(fetch, .schema(text))
        #expect(next?.request != .pull(since: nil, waitSeconds: 0))
        #expect(try server.replica.checkpoint() == [1, 2, 3])
    }

    /// A page of an earlier request may follow another checkpoint than the replica's.
    @Test func pageThatWasNotAskedForIsNotTaken() throws {
        let server = try ScriptedServer(.continuous(waitSeconds: 50))
        let first = try #require(try server.start())
        let poll = try #require(server.answer(first, server.page(digest: ScopeDigest())))
        #expect(poll.request == .pull(since: [1, 2, 3], waitSeconds: 50))
        try server.write("Ana")
        let push = try #require(server.localChange())
        let body = try #require(push.request.pushed)
        #expect(push.request == .push(body))
        #expect(server.answer(push, try server.accepted(body, page: server.page("Eve"))) == nil)
        #expect(try server.replica.select("select name from person") == [[.string("Ana")]])
    }

    @Test func onlyTheLastOfSeveralPushesPulls() throws {
        var limits = Limits()
        limits.changesPerPushMax = 2
        let server = try ScriptedServer(limits: limits)
        for name in ["Ana", "Bob", "Chloé"] { try server.write(name) }
        let first = try #require(try server.start())
        let body = try #require(first.request.pushed)
        #expect(first.request == .push(body))
        let second = try #require(server.answer(first, try server.accepted(body)))
        #expect(second.request == .pushAndPull(try #require(second.request.pushed), since: nil))
    }

    @Test func pageIsAskedForAgainWhereThePushFailed() throws {
        let server = try ScriptedServer(.continuous(waitSeconds: 50))
        try server.write("Ana")
        let push = try #require(try server.start())
        let pull = server.fail(push)
        #expect(pull?.request == .pull(since: nil, waitSeconds: 0))
    }
}
