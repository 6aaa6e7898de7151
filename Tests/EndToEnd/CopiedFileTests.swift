import Foundation
import TestProcesses
import Testing

/// A replica file that was copied, or restored from a copy. Nothing is lost, and each copy has an identity of its own.
@Suite(.serialized) struct CopiedFileTests {
    private func names(_ replica: String) throws -> [String] {
        try Programs.sql(replica, "select name from person order by name").lines
    }

    private func identity(_ replica: String) throws -> String {
        try Programs.sql(replica, "select replica from roost_control").lines.first ?? ""
    }

    private func add(_ name: String, to replica: String) throws {
        try Programs.sql(replica, "insert into person(name) values ('\(name)')")
    }

    /// Copies a replica like a backup tool that knows both of its files.
    private func copy(_ original: String, to copy: String) throws {
        try Programs.sql(original, "vacuum into '\(copy)'")
        try FileManager.default.copyItem(atPath: original + "-token", toPath: copy + "-token")
    }

    private func expectAgreement(_ replicas: [String], _ expected: [String]) throws {
        for _ in 0..<2 { for replica in replicas { try Programs.check("roost", "sync", replica) } }
        for replica in replicas {
            #expect(try names(replica) == expected)
            #expect(
                try Programs.check("roost", "digest", replica).standard
                    == Programs.check("roost", "digest", replica, "--server").standard)
            #expect(try Programs.check("roost", "status", replica).standard.contains("waiting   nothing"))
        }
    }

    /// Some changes are pending when the file is copied, and others are made on each copy afterwards.
    @Test(arguments: [[0, 1], [1, 0]])
    func copyAndOriginalBothKeepEverything(order: [Int]) throws {
        let stage = try Stage()
        let original = try stage.makeScope()
        try add("before", to: original)
        try Programs.check("roost", "sync", original)
        try add("waiting", to: original)
        let copy = stage.path("copy.roost")
        try self.copy(original, to: copy)
        try add("original", to: original)
        try add("copy", to: copy)
        for index in order {
            let output = try Programs.check("roost", "sync", [original, copy][index])
            #expect(output.standard.contains("has a new identity") == (index == 1), "\(output)")
        }
        #expect(try identity(original) != identity(copy))
        try expectAgreement([original, copy], ["before", "copy", "original", "waiting"])
        #expect(try Programs.check("roost", "log", copy).standard.contains("renewed"))
        #expect(try !Programs.check("roost", "log", original).standard.contains("renewed"))
    }

    /// The file is restored to an earlier state under its own name. Its later pushes are on the server.
    @Test(arguments: [true, false])
    func restoredFileGetsBackWhatItHadPushed(keepsTheFile: Bool) throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        try add("early", to: first)
        for replica in [first, second] { try Programs.check("roost", "sync", replica) }
        let backup = stage.path("backup.roost")
        try Programs.sql(first, "vacuum into '\(backup)'")
        try add("late", to: first)
        try Programs.check("roost", "sync", first)
        let before = try identity(first)
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: first + suffix) }
        if keepsTheFile {
            // The file is overwritten in place, so only the server can detect it.
            let data = try Data(contentsOf: URL(filePath: backup))
            let file = try FileHandle(forWritingTo: URL(filePath: first))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: data)
            try file.close()
        } else {
            try FileManager.default.removeItem(atPath: first)
            try FileManager.default.copyItem(atPath: backup, toPath: first)
        }
        try add("after", to: first)
        let output = try Programs.check("roost", "sync", first)
        #expect(output.standard.contains("has a new identity"), "\(output)")
        #expect(try identity(first) != before)
        try expectAgreement([first, second], ["after", "early", "late"])
    }

    @Test func daemonOnACopyTakesANewIdentityByItself() throws {
        let stage = try Stage()
        let original = try stage.makeScope()
        try Programs.check("roost", "sync", original)
        let copy = stage.path("copy.roost")
        try self.copy(original, to: copy)
        let daemons = try [original, copy].map {
            try RunningProgram("roostd", [$0], log: stage.folder.appending(path: "\(UUID().uuidString).log"))
        }
        try add("copy", to: copy)
        try add("original", to: original)
        for replica in [original, copy] {
            let isThere = try eventually { try names(replica) == ["copy", "original"] }
            #expect(isThere, "\(daemons.map(\.log))")
        }
        #expect(try identity(original) != identity(copy))
        for daemon in daemons { #expect(daemon.terminate() == 0, "\(daemon.log)") }
    }
}
