import Foundation
import Replica
import Roost
import Session
import TestProcesses
import Testing
import Transport

/// Pending changes that the server refuses until user action is taken are sent right after it, without a restart.
@Suite(.serialized) struct BlockedPushTests {
    /// Makes an owner, and a viewer's device with a pending change.
    private func makeViewer(_ stage: Stage) throws -> (owner: String, viewer: String) {
        let owner = try stage.makeScope()
        let viewer = try stage.join(owner, as: "viewer.roost", role: "viewer")
        try Programs.sql(viewer, "insert into person(name) values ('Ana')")
        return (owner, viewer)
    }

    private func name(of replica: String) throws -> String {
        try Programs.sql(replica, "select replica from roost_control").lines.first ?? ""
    }

    private func token(of replica: String) throws -> String {
        let line = try String(contentsOfFile: replica + "-token", encoding: .utf8).split(separator: "\n").last
        return line?.split(separator: " ").last.map(String.init) ?? ""
    }

    private func makeEditor(_ viewer: String, by owner: String, _ stage: Stage) throws {
        try Programs.check(
            "curl", "--silent", "--fail", "--show-error",
            "\(stage.address)/v1/devices/\(try name(of: viewer))/role", "-H",
            "Authorization: Bearer \(try token(of: owner))", "-H", "Content-Type: application/json", "-d",
            #"{"role": "editor"}"#)
    }

    private func isPushed(_ replica: String) throws -> Bool {
        try Programs.sql(replica, "select count(*) from roost_outbox").lines == ["0"]
    }

    @Test func signalLetsTheDaemonTryAgain() throws {
        let stage = try Stage()
        let (owner, viewer) = try makeViewer(stage)
        let daemon = try RunningProgram("roostd", [viewer], log: stage.folder.appending(path: "daemon.log"))
        let isBlocked = try eventually { daemon.log.contains("local changes wait") }
        #expect(isBlocked, "\(daemon.log)")
        try makeEditor(viewer, by: owner, stage)
        kill(daemon.identifier, SIGUSR1)
        let isDone = try eventually { try isPushed(viewer) }
        #expect(isDone, "\(daemon.log)")
        try Programs.check("roost", "sync", owner)
        #expect(try Programs.sql(owner, "select name from person").lines == ["Ana"])
        #expect(daemon.terminate() == 0, "\(daemon.log)")
    }

    /// A server that runs without its data knows no device. A daemon then waits for minutes, unless the user sends a signal.
    @Test func signalEndsTheWaitAfterUnauthorized() throws {
        let stage = try Stage()
        let replica = try stage.makeScope()
        try Programs.check("roost", "sync", replica)
        #expect(stage.server?.terminate() == 0)
        try FileManager.default.moveItem(atPath: stage.path("server"), toPath: stage.path("aside"))
        try stage.startServer()
        try Programs.sql(replica, "insert into person(name) values ('Ana')")
        let daemon = try RunningProgram("roostd", [replica], log: stage.folder.appending(path: "daemon.log"))
        let isWaiting = try eventually { daemon.log.contains("tries again every 5 minutes") }
        #expect(isWaiting, "\(daemon.log)")
        #expect(stage.server?.terminate() == 0)
        try FileManager.default.removeItem(atPath: stage.path("server"))
        try FileManager.default.moveItem(atPath: stage.path("aside"), toPath: stage.path("server"))
        try stage.startServer()
        kill(daemon.identifier, SIGUSR1)
        let isDone = try eventually { try isPushed(replica) }
        #expect(isDone, "\(daemon.log)")
        #expect(daemon.terminate() == 0, "\(daemon.log)")
    }

    @Test(.timeLimit(.minutes(2))) func sessionTriesAgainByItself() async throws {
        let stage = try Stage()
        let (owner, viewer) = try makeViewer(stage)
        let replica = try Replica(opening: viewer)
        let membership = try #require(try replica.membership())
        let transport = try HTTPTransport(to: try ServerAddress(membership.server))
        let (states, continuation) = AsyncStream.makeStream(of: SyncState.self)
        let synchronizer = Synchronizer(
            replica, ServerClient(transport, token: membership.token), .continuous(waitSeconds: 50),
            blockedWait: .milliseconds(100)
        ) { continuation.yield($0) }
        let running = Task { await synchronizer.run() }
        var refusals = 0
        for await state in states {
            guard case .blocked = state else { continue }
            refusals += 1
            if refusals == 2 { break }
        }
        try makeEditor(viewer, by: owner, stage)
        let isDone = try eventually { try isPushed(viewer) }
        #expect(isDone)
        await synchronizer.stop()
        #expect(await running.value.pushed == 1)
        await transport.shutdown()
        try replica.close()
    }
}
