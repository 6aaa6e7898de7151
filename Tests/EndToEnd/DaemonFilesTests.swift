import Foundation
import TestProcesses
import Testing

/// A daemon with several files, some of which cannot be synchronised.
@Suite(.serialized) struct DaemonFilesTests {
    private func daemon(_ files: [String], _ stage: Stage) throws -> RunningProgram {
        try RunningProgram("roostd", files, log: stage.folder.appending(path: "\(UUID().uuidString).log"))
    }

    private func isPushed(_ replica: String) throws -> Bool {
        try Programs.check("roost", "status", replica).standard.contains("waiting   nothing")
    }

    @Test(arguments: ["text", "missing", "other database", "local", "busy"])
    func badFileKeepsNoOtherFromRunning(kind: String) throws {
        let stage = try Stage()
        let good = try stage.makeScope()
        let bad = stage.path("bad.roost")
        var holder: RunningProgram?
        switch kind {
        case "text": try Data("nonsense".utf8).write(to: URL(filePath: bad))
        case "other database": try Programs.sql(bad, "create table t(a)")
        case "local": try Programs.check("roost", "init", bad, "--schema", stage.path("schema.json"))
        case "busy":
            let joined = try stage.join(good, as: "c.roost")
            try move(joined, to: bad)
            let other = try daemon([bad], stage)
            let isUp = try eventually { other.log.contains("up to date") }
            #expect(isUp)
            holder = other
        default: break
        }
        let running = try daemon([bad, good], stage)
        try Programs.sql(good, "insert into person(name) values ('Ana')")
        let isDone = try eventually { try isPushed(good) }
        #expect(isDone && running.isRunning, "\(running.log)")
        #expect(running.log.contains("Cannot open the replica; it is tried again"), "\(running.log)")
        #expect(running.log.contains("bad.roost"))
        if let holder {
            #expect(holder.terminate() == 0)
            let hasTakenOver = try eventually { running.log.contains("Opened the replica again") }
            #expect(hasTakenOver, "\(running.log)")
            #expect(running.terminate() == 0, "\(running.log)")
        } else {
            #expect(running.terminate() != 0, "\(running.log)")
        }
    }

    /// Moves a replica with its token and its WAL, which may hold all of its content. The file itself is moved last.
    private func move(_ replica: String, to path: String) throws {
        for end in ["-token", "-wal", ""] where FileManager.default.fileExists(atPath: replica + end) {
            try FileManager.default.moveItem(atPath: replica + end, toPath: path + end)
        }
    }

    /// The file only has to appear; no restart is needed.
    @Test func fileThatAppearsLaterIsSynchronised() throws {
        let stage = try Stage()
        let good = try stage.makeScope()
        let late = stage.path("late.roost")
        let running = try daemon([good, late], stage)
        let isSaid = try eventually { running.log.contains("there is no such file") }
        #expect(isSaid, "\(running.log)")
        let other = try stage.join(good, as: "c.roost")
        try move(other, to: late)
        try Programs.sql(good, "insert into person(name) values ('Ana')")
        let arrived = try eventually { try Programs.sql(late, "select name from person").lines == ["Ana"] }
        #expect(arrived, "\(running.log)")
        #expect(running.terminate() == 0, "\(running.log)")
    }

    /// The daemon waits even for its only file. The file is intact, and its token returns with the folder for secrets.
    @Test func fileWaitsForItsToken() throws {
        let stage = try Stage()
        let file = try stage.makeScope()
        try Programs.sql(file, "insert into person(name) values ('Ana')")
        try FileManager.default.moveItem(atPath: file + "-token", toPath: file + "-elsewhere")
        let running = try daemon([file], stage)
        let isSaid = try eventually { running.log.contains("has no credentials") }
        #expect(isSaid && running.isRunning, "\(running.log)")
        try FileManager.default.moveItem(atPath: file + "-elsewhere", toPath: file + "-token")
        let isDone = try eventually { try isPushed(file) }
        #expect(isDone, "\(running.log)")
        #expect(running.terminate() == 0, "\(running.log)")
    }

    /// The server does not know an old token, as from a backup of the folder, until the current one is restored.
    @Test func tokenThatIsPutBackIsUsed() throws {
        let stage = try Stage()
        let file = try stage.makeScope()
        let old = try Data(contentsOf: URL(filePath: file + "-token"))
        // The server forgets the previous token once the device has used its new one twice.
        try Programs.check("roost", "token", "rotate", file)
        for _ in 0..<2 { try Programs.check("roost", "sync", file) }
        let new = try Data(contentsOf: URL(filePath: file + "-token"))
        #expect(new != old)
        try old.write(to: URL(filePath: file + "-token"))
        let running = try daemon([file], stage)
        let isSaid = try eventually { running.log.contains("token") }
        #expect(isSaid && running.isRunning, "\(running.log)")
        try new.write(to: URL(filePath: file + "-token"))
        try Programs.sql(file, "insert into person(name) values ('Ana')")
        let isDone = try eventually { try isPushed(file) }
        #expect(isDone, "\(running.log)")
        #expect(running.terminate() == 0, "\(running.log)")
    }

    @Test func fileGivenTwiceRunsOnce() throws {
        let stage = try Stage()
        let good = try stage.makeScope()
        let link = stage.path("link.roost")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: good)
        let running = try daemon([good, good, link], stage)
        try Programs.sql(good, "insert into person(name) values ('Ana')")
        let isDone = try eventually { try isPushed(good) }
        #expect(isDone, "\(running.log)")
        #expect(running.log.contains("was given twice"), "\(running.log)")
        #expect(running.log.contains("is the file"), "\(running.log)")
        #expect(running.terminate() == 0, "\(running.log)")
    }

    @Test func noneThatCanBeOpenedEndsTheProgram() throws {
        let stage = try Stage()
        let running = try daemon([stage.path("a.roost"), stage.path("b.roost")], stage)
        #expect(running.wait() == 66, "\(running.log)")
        #expect(running.log.contains("a.roost") && running.log.contains("b.roost"))
    }
}
