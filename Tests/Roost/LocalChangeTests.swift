import Roost
import Session
import Testing

/// What a session does when it hears of one local change twice: from the program that made it, and by a watch of the file.
@Suite struct LocalChangeTests {
    /// Offline, with one change sealed and another that waits behind it.
    private func makeWaiting() throws -> ScriptedServer {
        let server = try ScriptedServer(.continuous(waitSeconds: 50))
        _ = try server.start()
        try server.write("Ana")
        let push = try #require(server.localChange())
        _ = server.fail(push)
        try server.write("Bob")
        return server
    }

    /// The attempt that the change has brought near fails too, and then comes the notice, gathered with others.
    @Test func noticeOfWhatWasToldBringsNoAttemptNear() throws {
        let server = try makeWaiting()
        _ = server.localChange()
        server.now = try #require(server.deadline)
        _ = server.fail(try #require(server.timerFired()))
        let deadline = try #require(server.deadline)
        let order = server.driver.localChangeNoticed(at: server.now)
        #expect(order == nil)
        #expect(server.deadline == deadline)
    }

    @Test func noticeOfWhatWasNotToldBringsTheAttemptNear() throws {
        let server = try makeWaiting()
        let deadline = try #require(server.deadline)
        _ = server.driver.localChangeNoticed(at: server.now)
        #expect(try #require(server.deadline) < deadline)
    }
}
