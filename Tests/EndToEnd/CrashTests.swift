import Foundation
import TestProcesses
import Testing

/// Processes that die without warning lose nothing that was acknowledged or committed.
@Suite(.serialized) struct CrashTests {
    @Test func killedServerKeepsEveryAcknowledgedChange() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        for round in 0..<5 {
            try Programs.sql(first, "insert into person(name) values ('round \(round)')")
            let output = try Programs.check("roost", "sync", first)
            #expect(output.standard.contains("up to date"))
            stage.server?.kill()
            try stage.startServer()
        }
        try Programs.check("roost", "sync", second)
        #expect(try Programs.sql(second, "select count(*) from person").lines == ["5"])
        #expect(
            try Programs.check("roost", "digest", second).standard
                == Programs.check("roost", "digest", second, "--server").standard)
    }

    @Test func killedClientsLoseNoLocalCommitAndConverge() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        var written = 0
        for round in 0..<12 {
            for (number, replica) in [first, second].enumerated() {
                try Programs.sql(
                    replica,
                    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 50) insert into person(name) select 'd\(number) r\(round) ' || i from n"
                )
                written += 50
                let log = stage.folder.appending(path: "kill.log")
                let sync = try RunningProgram("roost", ["sync", replica], log: log)
                // The moment differs each time: before, during and after the push.
                usleep(UInt32(2000 * (round + 1)))
                sync.kill()
            }
        }
        for replica in [first, second, first] { try Programs.check("roost", "sync", replica) }
        for replica in [first, second] {
            #expect(try Programs.sql(replica, "select count(*) from person").lines == ["\(written)"])
            #expect(try Programs.sql(replica, "pragma integrity_check").lines == ["ok"])
        }
        #expect(
            try Programs.check("roost", "digest", first).standard == Programs.check("roost", "digest", second).standard)
    }

    @Test func severalProgramsWriteOneReplicaWhileItSynchronises() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let daemon = try RunningProgram("roostd", [first], log: stage.folder.appending(path: "d.log"))
        let writers = try (0..<4).map { writer in
            let statements = (0..<50).map { "insert into person(name) values ('w\(writer) \($0)');" }.joined(
                separator: "\n")
            let file = stage.folder.appending(path: "w\(writer).sql")
            try Data(statements.utf8).write(to: file)
            return try RunningProgram(
                "sqlite3", ["-bail", "-cmd", ".timeout 20000", first, ".read \(file.path)"],
                log: stage.folder.appending(path: "w\(writer).log"))
        }
        let isWritten = try eventually(within: 60) { !writers.contains { $0.isRunning } }
        #expect(isWritten)
        #expect(try Programs.sql(first, "select count(*) from person").lines == ["200"], "\(writers.map(\.log))")
        let isPushed = try eventually(within: 60) {
            try Programs.check("roost", "status", first).standard.contains("waiting   nothing")
        }
        #expect(isPushed, "\(daemon.log)")
        #expect(daemon.terminate() == 0)
        #expect(
            try Programs.check("roost", "digest", first).standard
                == Programs.check("roost", "digest", first, "--server").standard)
    }

    /// A change and its mark commit together. SQLite's own shell is killed between any two statements.
    @Test(arguments: 0...4, [true, false])
    func trackingSurvivesADeathBetweenAnyTwoStatements(after count: Int, inOneTransaction: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "roost-kill-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let schema = folder.appending(path: "schema.json")
        try Data(Stage.schema.utf8).write(to: schema)
        let replica = folder.appending(path: "a.roost").path
        try Programs.check("roost", "init", replica, "--schema", schema.path)
        var lines = [
            "insert into person(id, name) values (\(id(1)), 'Ana');",
            "insert into spending(content, person) values ('pizza', \(id(1)));",
            "update spending set amount = 5;", "delete from person where id = \(id(1));",
        ]
        lines.insert(".shell kill -9 $PPID", at: count)
        if inOneTransaction { lines.insert("begin;", at: 0) }
        try Programs.run("sqlite3", [replica], input: lines.joined(separator: "\n") + "\n")
        let written = inOneTransaction ? 0 : count
        let rows = try Programs.sql(
            replica, "select (select count(*) from person) + (select count(*) from roost_hidden_person)"
        ).lines
        #expect(rows == [written >= 1 ? "1" : "0"])
        let marks = try Programs.sql(
            replica,
            """
            select (select count(*) from roost_mark where not deletes), (select count(*) from roost_outbox),
              (select count(*) from roost_mark where deletes)
            """
        ).lines
        #expect(marks == ["\(min(written, 2))|\(written >= 3 ? 1 : 0)|\(written == 4 ? 1 : 0)"])
        #expect(try Programs.sql(replica, "pragma integrity_check").lines == ["ok"])
    }

    /// A quota stands in for a full disk: the file may not grow, and SQLite reports "full" in either case.
    @Test func fullReplicaRefusesCleanlyAndWorksAgainOnceThereIsRoom() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        try Programs.sql(
            first,
            "with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) insert into person(name) select 'somebody called ' || i from n"
        )
        try Programs.check("roost", "sync", first)
        // The limit is 1,024 blocks of 1 KiB. Its signal is ignored, so that the write fails instead.
        let limited = try Programs.run(
            "bash", ["-c", "trap '' XFSZ; ulimit -f 1024; exec \"$0\" sync \"$1\"", Programs.url("roost").path, second])
        #expect([75, 65].contains(limited.status), "\(limited)")
        #expect(try Programs.sql(second, "pragma integrity_check").lines == ["ok"])
        try Programs.check("roost", "sync", second)
        #expect(try Programs.sql(second, "select count(*) from person").lines == ["20000"])
    }
}
