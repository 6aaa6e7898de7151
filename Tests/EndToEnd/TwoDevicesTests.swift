import Foundation
import TestProcesses
import Testing

/// Two devices and a server in their real processes; the devices are written by SQLite's own shell.
@Suite(.serialized) struct TwoDevicesTests {
    @Test func plainSQLReachesTheOtherDevice() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        try Programs.sql(first, "insert into person(id, name) values (\(id(1)), 'Ana')")
        try Programs.sql(first, "insert into spending(content, amount, person) values ('pizza', 1250, \(id(1)))")
        try Programs.check("roost", "sync", first)
        try Programs.check("roost", "sync", second)
        #expect(try Programs.sql(second, "select content, amount from spending").lines == ["pizza|1250"])
    }

    @Test func denyRuleStopsThePlainStatementWithAMessage() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        try Programs.sql(first, "insert into person(id, name) values (\(id(1)), 'Ana')")
        try Programs.sql(first, "insert into spending(content, guarantor) values ('car', \(id(1)))")
        let output = try Programs.sql(first, "delete from person")
        #expect(output.status != 0)
        #expect(output.error.contains("a spending refers to it as its guarantor"))
    }

    @Test func concurrentWorkEndsCurrentBeatenOrHiddenAndBothAgree() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        try Programs.sql(first, "insert into person(id, name) values (\(id(1)), 'Ana'), (\(id(2)), 'Bob')")
        try Programs.sql(
            first,
            "insert into spending(id, content, person) values (\(id(5)), 'dinner', \(id(2))), (\(id(6)), 'taxi', \(id(2)))"
        )
        for replica in [first, second] { try Programs.check("roost", "sync", replica) }
        // Both offline.
        try Programs.sql(
            first,
            "delete from person where name = 'Ana'; update spending set content = 'dinner A' where id = \(id(5)); delete from spending where id = \(id(6))"
        )
        try Programs.sql(
            second,
            "insert into spending(content, person) values ('museum', \(id(1))); update spending set content = 'dinner B' where id = \(id(5)); update spending set content = 'taxi B' where id = \(id(6))"
        )
        for replica in [first, second, first] { try Programs.check("roost", "sync", replica) }
        for replica in [first, second] {
            #expect(
                try Programs.sql(replica, "select content from spending order by 1").lines == ["dinner B", "taxi B"])
        }
        let journal = try Programs.check("roost", "journal", first).standard
        #expect(journal.contains("beaten") && journal.contains("dinner A"))
        #expect(try Programs.check("roost", "journal", second).standard.contains("museum"))
        try Programs.check("roost", "undelete", second, "Person", "00000000")
        for replica in [second, first] { try Programs.check("roost", "sync", replica) }
        let digests = try [first, second].map { try Programs.check("roost", "digest", $0).standard }
        #expect(digests[0] == digests[1])
        #expect(try Programs.check("roost", "digest", first, "--server").standard == digests[0])
        #expect(
            try Programs.sql(first, "select content from spending order by 1").lines == [
                "dinner B", "museum", "taxi B",
            ])
    }

    @Test func unreachableServerIsAStatusAndLocalWorkGoesOn() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        stage.server?.kill()
        try Programs.sql(first, "insert into person(name) values ('Ana')")
        let output = try Programs.run("roost", ["sync", first])
        #expect(output.status == 75, "\(output)")
        let status = try Programs.check("roost", "status", first).standard
        #expect(status.contains("1 changed records"))
        #expect(status.contains("failing"))
        try stage.startServer()
        try Programs.check("roost", "sync", first)
        #expect(try Programs.check("roost", "status", first).standard.contains("waiting   nothing"))
    }

    @Test func viewerPullsAndIsToldThatItCannotPush() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "viewer.roost", role: "viewer")
        try Programs.sql(second, "insert into person(name) values ('Eve')")
        let output = try Programs.run("roost", ["sync", second])
        #expect(output.status == 77, "\(output)")
        try Programs.check("roost", "sync", first)
        #expect(try Programs.sql(first, "select count(*) from person").lines == ["0"])
        #expect(try Programs.sql(second, "select name from person").lines == ["Eve"])
    }

    @Test func inviteWorksOnce() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let link = try Programs.check("roost", "invite", first).lines.first ?? ""
        try Programs.check("roost", "join", link, stage.path("b.roost"))
        let again = try Programs.run("roost", ["join", link, stage.path("c.roost")])
        #expect(again.status == 77)
        #expect(!FileManager.default.fileExists(atPath: stage.path("c.roost")))
    }

    @Test func transactionLargerThanAPushArrivesWhole() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        try Programs.sql(
            first,
            "with recursive n(i) as (select 1 union all select i + 1 from n where i < 4500) insert into person(name) select 'person ' || i from n"
        )
        try Programs.check("roost", "sync", first)
        try Programs.check("roost", "sync", second)
        #expect(try Programs.sql(second, "select count(*) from person").lines == ["4500"])
    }
}
