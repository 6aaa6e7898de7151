import Foundation
import TestProcesses
import Testing

/// A server whose data folder was restored from an older copy. Everything that any replica still holds comes back.
@Suite(.serialized) struct RestoredServerTests {
    private func names(_ replica: String) throws -> [String] {
        try Programs.sql(replica, "select name from person order by name").lines
    }

    private func add(_ name: String, to replica: String) throws {
        try Programs.sql(replica, "insert into person(name) values ('\(name)')")
    }

    /// Copies the data folder, or restores it from a copy, while no server runs.
    private func copyData(_ stage: Stage, from: String, to: String) throws {
        stage.server?.kill()
        try? FileManager.default.removeItem(atPath: stage.path(to))
        try FileManager.default.copyItem(atPath: stage.path(from), toPath: stage.path(to))
        try stage.startServer()
    }

    @Test func changesSinceTheCopyComeBackFromWhoeverHoldsThem() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        try add("early", to: first)
        for replica in [first, second] { try Programs.check("roost", "sync", replica) }
        try copyData(stage, from: "server", to: "backup")
        try add("late 1", to: first)
        try add("late 2", to: second)
        for replica in [first, second, first] { try Programs.check("roost", "sync", replica) }
        try Programs.sql(second, "delete from person where name = 'early'")
        try Programs.check("roost", "sync", second)
        try add("waiting", to: first)
        try copyData(stage, from: "backup", to: "server")
        let output = try Programs.check("roost", "sync", second)
        #expect(output.standard.contains("The server was restored from an older copy"), "\(output)")
        #expect(output.standard.contains("are back on it"), "\(output)")
        try expectAgreement([first, second], ["late 1", "late 2", "waiting"])
        #expect(try Programs.check("roost", "journal", first).standard.contains("Every change is current"))
    }

    /// The restored server advances past the checkpoints before the replicas that were ahead of it return.
    @Test func serverThatGrewPastTheCheckpointsIsNoticedToo() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        let third = try stage.join(first, as: "c.roost")
        try add("early", to: first)
        for replica in [first, second, third] { try Programs.check("roost", "sync", replica) }
        try copyData(stage, from: "server", to: "backup")
        for number in 1...2 { try add("lost \(number)", to: first) }
        for replica in [first, second] { try Programs.check("roost", "sync", replica) }
        try copyData(stage, from: "backup", to: "server")
        // Only the third replica has seen none of the lost changes, so its checkpoint is valid.
        for number in 1...5 {
            try add("grown \(number)", to: third)
            try Programs.check("roost", "sync", third)
        }
        try expectAgreement(
            [second, first, third], ["early"] + (1...5).map { "grown \($0)" } + (1...2).map { "lost \($0)" })
    }

    /// The operator makes a backup while the server runs, and restores it with the server's tool.
    @Test func replicasBringBackWhatABackupLacks() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        let viewer = try stage.join(first, as: "viewer.roost", role: "viewer")
        try add("early", to: first)
        for replica in [first, second, viewer] { try Programs.check("roost", "sync", replica) }
        try Programs.check(
            "roost-server", "backup", "--data", stage.path("server"), "--to", stage.path("backup.sqlite"))
        try add("late 1", to: first)
        try add("late 2", to: second)
        for replica in [first, second, first, viewer] { try Programs.check("roost", "sync", replica) }
        stage.server?.kill()
        try Programs.check(
            "roost-server", "restore", "--data", stage.path("server"), "--from", stage.path("backup.sqlite"))
        try stage.startServer()
        // A viewer cannot bring anything back. It reports what is gone, and keeps the content.
        let output = try Programs.run("roost", ["sync", viewer])
        #expect(output.standard.contains("in the journal"), "\(output)")
        #expect(try names(viewer) == ["early"])
        #expect(try Programs.check("roost", "journal", viewer).standard.contains("lost"))
        try expectAgreement([first, second, viewer], ["early", "late 1", "late 2"])
    }

    @Test func whatOnlyItsAuthorHoldsComesBack() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        for replica in [first, second] { try Programs.check("roost", "sync", replica) }
        try copyData(stage, from: "server", to: "backup")
        // The device has pushed, but not pulled since: its checkpoint is older than the copy.
        for number in 1...3 {
            try add("mine \(number)", to: first)
            try Programs.check("roost", "sync", first)
        }
        try copyData(stage, from: "backup", to: "server")
        try add("next", to: first)
        try Programs.run("roost", ["sync", first])
        try expectAgreement([first, second], ["mine 1", "mine 2", "mine 3", "next"])
    }
}
