import Roost
import RoostMerge
import RoostModel
import Session
import Testing

/// A session is notified of a local change twice: by the program that made it, and by a watch of the file.
@Suite struct LocalChangeTests {
    /// A session that is offline, with one sealed change and another pending behind it.
    private func makeWaiting() throws -> ScriptedServer {
        let server = try ScriptedServer(.continuous(waitSeconds: 50))
        _ = try server.start()
        try server.write("Ana")
        let push = try #require(server.localChange())
        _ = server.fail(push)
        try server.write("Bob")
        return server
    }

    /// The attempt that the change has moved forward fails too, before the notice of the watch arrives.
    @Test func noticeOfWhatWasToldBringsNoAttemptNear() throws {
        let server = try makeWaiting()
        _ = server.localChange()
        server.now = try #require(server.deadline)
        _ = server.fail(try #require(server.timerFired()))
        let deadline = try #require(server.deadline)
        let order = server.driver.handle(.fileChanged, at: server.now)
        #expect(order == nil)
        #expect(server.deadline == deadline)
    }

    @Test func noticeOfWhatWasNotToldBringsTheAttemptNear() throws {
        let server = try makeWaiting()
        let deadline = try #require(server.deadline)
        _ = server.driver.handle(.fileChanged, at: server.now)
        #expect(try #require(server.deadline) < deadline)
    }

    /// A session that is up to date.
    private func makeUpToDate(_ mode: SyncMode) throws -> ScriptedServer {
        let server = try ScriptedServer(mode)
        let pull = try #require(try server.start())
        _ = server.answer(pull, server.page(digest: ScopeDigest()))
        return server
    }

    private func sealedBody(_ server: ScriptedServer) throws -> [UInt8]? {
        guard case .data(let body)? = try server.replica.select("select body from roost_push").first?.first else {
            return nil
        }
        return body
    }

    /// The push is the one that the writing transaction has sealed, however the session is notified.
    @Test(arguments: [true, false])
    func writeIsSealedByItselfWhileTheSessionIsUpToDate(isTold: Bool) throws {
        let server = try makeUpToDate(.continuous(waitSeconds: 50))
        for name in ["Ana", "Bob"] {
            try server.write(name)
            let body = try #require(try sealedBody(server))
            let order = isTold ? server.localChange() : server.driver.handle(.fileChanged, at: server.now)
            let push = try #require(order)
            #expect(push.request == .push(body))
            _ = server.answer(push, try server.accepted(body))
            #expect(try sealedBody(server) == nil)
            #expect(try server.replica.select("select count(*) from roost_outbox") == [[.integer(0)]])
        }
        #expect(server.report.pushed == 2)
    }

    @Test func writeIsNotSealedByItselfOfflineOrWithoutASession() throws {
        let offline = try makeWaiting()
        #expect(try offline.replica.select("select count(*) from roost_push") == [[.integer(1)]])
        let over = try makeUpToDate(.once(attemptsMax: 3))
        try over.write("Ana")
        #expect(try sealedBody(over) == nil)
        let stopped = try makeUpToDate(.continuous(waitSeconds: 50))
        _ = stopped.driver.handle(.stop, at: stopped.now)
        try stopped.write("Ana")
        #expect(try sealedBody(stopped) == nil)
    }
}
