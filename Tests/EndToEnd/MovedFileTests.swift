import Foundation
import TestProcesses
import Testing

/// A replica file that is replaced, moved, removed or recreated while roostd has it open.
@Suite(.serialized) struct MovedFileTests {
    private let stage: Stage
    private let first: String
    private let second: String
    private let daemon: RunningProgram

    init() throws {
        stage = try Stage()
        first = try stage.makeScope()
        second = try stage.join(first, as: "b.roost")
        try Programs.sql(first, "insert into person(name) values ('before')")
        try Programs.check("roost", "sync", first)
        daemon = try RunningProgram("roostd", [first], log: stage.folder.appending(path: "daemon.log"))
        let isUp = try eventually { [daemon] in daemon.log.contains("up to date") }
        #expect(isUp, "\(daemon.log)")
    }

    private func add(_ name: String, to replica: String) throws {
        let output = try Programs.sql(replica, "insert into person(name) values ('\(name)')")
        #expect(output.status == 0, "\(output)")
    }

    private func names(_ replica: String) throws -> [String] {
        try Programs.sql(replica, "select name from person order by name").lines
    }

    /// Expects that the second device gets a new change, without a restart of the daemon.
    private func expectDaemonGoesOn(_ names: [String]) throws {
        try add("later", to: first)
        let arrived = try eventually {
            try Programs.check("roost", "sync", second)
            return try self.names(second) == (names + ["later"]).sorted()
        }
        #expect(arrived, "\(daemon.log)")
        let status = try Programs.check("roost", "status", first).standard
        #expect(status.contains("by process \(daemon.identifier)"), "\(status)")
        #expect(daemon.terminate() == 0, "\(daemon.log)")
        try Programs.check("roost", "sync", first)
        #expect(try self.names(first) == (names + ["later"]).sorted())
    }

    private func expectNotice(_ text: String) throws {
        let isSaid = try eventually { daemon.log.contains(text) }
        #expect(isSaid, "\(daemon.log)")
    }

    @Test(arguments: ["vacuum", "copy"])
    func backupThatIsMovedOverTheFileIsOpened(kind: String) throws {
        let backup = stage.path("backup.roost")
        if kind == "vacuum" {
            try Programs.sql(first, "vacuum into '\(backup)'")
        } else {
            try Programs.sql(first, ".backup '\(backup)'")
        }
        try add("after", to: first)
        let isPushed = try eventually {
            try Programs.check("roost", "sync", second)
            return try names(second).contains("after")
        }
        #expect(isPushed, "\(daemon.log)")
        try Programs.run("mv", [backup, first])
        try expectNotice("was replaced by another one")
        try expectDaemonGoesOn(["before", "after"])
    }

    /// Changes that are only in the WAL stay with the file that was moved.
    @Test func fileThatIsMovedAwayIsComplete() throws {
        try add("one", to: first)
        let moved = stage.path("moved.roost")
        try Programs.run("mv", [first, moved])
        try expectNotice("was moved or removed")
        let isComplete = try eventually { try names(moved) == ["before", "one"] }
        #expect(isComplete)
        #expect(try Programs.sql(moved, "pragma integrity_check").lines == ["ok"])
        #expect(daemon.isRunning)
        try Programs.run("mv", [moved, first])
        try expectDaemonGoesOn(["before", "one"])
    }

    @Test func removedFileIsOpenedOnceItIsMadeAgain() throws {
        for suffix in ["", "-wal", "-shm", "-sync"] { try? FileManager.default.removeItem(atPath: first + suffix) }
        try expectNotice("was moved or removed")
        let output = try Programs.run("roost", ["sync", first])
        #expect(output.status == 66, "\(output)")
        let copy = stage.path("copy.roost")
        try Programs.sql(second, "vacuum into '\(copy)'")
        try Programs.run("mv", [copy, first])
        try Programs.check("roost", "sync", second)
        try expectDaemonGoesOn(["before"])
    }

    @Test(arguments: ["-wal", "-shm", "-sync"])
    func removedFileBesideItIsNoticed(suffix: String) throws {
        try add("one", to: first)
        let isPushed = try eventually {
            try Programs.check("roost", "sync", second)
            return try names(second).contains("one")
        }
        #expect(isPushed)
        try FileManager.default.removeItem(atPath: first + suffix)
        if suffix == "-wal" { try? FileManager.default.removeItem(atPath: first + "-shm") }
        try expectNotice("(\(suffix)) was removed or replaced")
        try expectDaemonGoesOn(["before", "one"])
    }

    @Test func folderThatIsMovedAndComesBackIsFollowed() throws {
        let folder = stage.path("folder")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = folder + "/c.roost"
        let link = try Programs.check("roost", "invite", first).lines.first ?? ""
        try Programs.check("roost", "join", link, file, "--device", "c")
        let other = try RunningProgram("roostd", [file], log: stage.folder.appending(path: "other.log"))
        let isUp = try eventually { other.log.contains("up to date") }
        #expect(isUp, "\(other.log)")
        try Programs.run("mv", [folder, folder + "2"])
        let isSaid = try eventually { other.log.contains("was moved or removed") }
        #expect(isSaid, "\(other.log)")
        try Programs.run("mv", [folder + "2", folder])
        let isBack = try eventually { other.log.contains("Opened the replica again") }
        #expect(isBack, "\(other.log)")
        #expect(other.terminate() == 0, "\(other.log)")
        #expect(daemon.terminate() == 0)
    }
}
