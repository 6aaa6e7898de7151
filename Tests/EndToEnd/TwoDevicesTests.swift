import Foundation
import TestProcesses
import Testing

/// Two devices and a server in their real processes. SQLite's own shell writes the devices' files.
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
        // Both devices are offline.
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

    /// The replica exists and can continue, but it is not up to date, and the status reports that.
    @Test func joinWhoseFirstPullFailsSaysSoAndCanGoOn() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        try Programs.sql(
            first,
            "with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) insert into person(name) select 'somebody called ' || i from n"
        )
        try Programs.check("roost", "sync", first)
        let link = try Programs.check("roost", "invite", first).lines.first ?? ""
        // A limit of 1,024 blocks of 1 KiB for a file stands in for a full disk.
        let output = try Programs.run(
            "bash",
            [
                "-c", "trap '' XFSZ; ulimit -f 1024; exec \"$0\" join \"$1\" \"$2\"", Programs.url("roost").path, link,
                stage.path("b.roost"),
            ])
        #expect(output.status == 75, "\(output)")
        #expect(output.error.contains("not up to date"))
        try Programs.check("roost", "sync", stage.path("b.roost"))
        #expect(try Programs.sql(stage.path("b.roost"), "select count(*) from person").lines == ["20000"])
    }

    /// The server would refuse such a body as a decompression bomb if it were compressed.
    @Test func changesThatCompressVeryWellArrive() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        try Programs.sql(
            first,
            "with recursive n(i) as (select 1 union all select i + 1 from n where i < 15) insert into person(name) select replace(hex(zeroblob(50000)), '0', 'x') from n"
        )
        let output = try Programs.check("roost", "sync", first)
        #expect(output.standard.contains("pushed 15"), "\(output)")
        #expect(!output.standard.contains("refused"), "\(output)")
    }

    /// One transaction that the server never accepts, between others.
    @Test func transactionThatTheServerRefusesIsSetAsideAndTheOthersGo() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        stage.server?.kill()
        try stage.startServer(environment: ["ROOST_BODY_BYTES_MAX": "20000"])
        // Random digits do not compress below the limit.
        for name in ["'one'", "'two'", "hex(randomblob(60000))", "'three'", "'four'"] {
            // Each insert is a transaction of its own, numbered as the library numbers them.
            try Programs.sql(
                first, "update roost_control set txn = txn + 1; insert into person(name) values (\(name))")
            // The next program to open the file folds the marked change into the outbox, with that number.
            try Programs.check("roost", "status", first)
        }
        let output = try Programs.check("roost", "sync", first)
        #expect(output.standard.contains("A transaction of 1 changes was set aside"), "\(output)")
        try Programs.check("roost", "sync", second)
        #expect(
            try Programs.sql(second, "select name from person order by name").lines == ["four", "one", "three", "two"])
        #expect(try Programs.check("roost", "journal", first).standard.contains("refused"))
        let size = try Programs.sql(first, "select length(put) from roost_journal").lines
        #expect(size.count == 1 && (Int(size[0]) ?? 0) > 120_000)
        #expect(try Programs.check("roost", "status", first).standard.contains("waiting   nothing"))
        #expect(try Programs.check("roost", "log", first).standard.contains("quarantine"))
        #expect(try Programs.sql(first, "select count(*) from person").lines == ["4"])
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

    /// The command checks that the file can be made before it uses up the invite.
    @Test func inviteIsKeptWhereNoFileCanBeMade() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let link = try Programs.check("roost", "invite", first).lines.first ?? ""
        let failed = try Programs.run("roost", ["join", link, stage.path("nowhere/b.roost")])
        #expect(failed.status == 66)
        #expect(failed.error.contains("nowhere/b.roost"))
        try Programs.check("roost", "join", link, stage.path("b.roost"))
    }

    /// Each pushed change is counted once, and a beaten one is reported as such.
    @Test func syncSaysWhatWasPushedAndBeaten() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        try Programs.sql(first, "insert into person(id, name) values (x'\(String(repeating: "0", count: 31))1', 'Ana')")
        try Programs.check("roost", "sync", first)
        let second = try stage.join(first, as: "b.roost")
        try Programs.check("roost", "sync", second)
        try Programs.sql(first, "update person set name = 'Anna'")
        try Programs.sql(second, "update person set name = 'Anne'")
        #expect(try Programs.check("roost", "sync", "--json", second).standard.contains(#""pushed":1"#))
        // The change was written earlier and is sent later.
        let output = try Programs.check("roost", "sync", "--json", first).standard
        #expect(output.contains(#""pushed":1"#) && output.contains(#""beaten":1"#), "\(output)")
        #expect(try Programs.sql(first, "select name from person").lines == ["Anne"])
    }

    /// Two devices write the same. Nothing is lost, and nothing is reported, until the record has another content.
    @Test func sameContentOfTwoDevicesIsNotReportedAsBeaten() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        try Programs.sql(first, "insert into person(id, name) values (\(id(1)), 'Ana')")
        try Programs.check("roost", "sync", first)
        let second = try stage.join(first, as: "b.roost")
        for replica in [first, second] { try Programs.sql(replica, "update person set name = 'Anna'") }
        try Programs.check("roost", "sync", second)
        let output = try Programs.check("roost", "sync", "--json", first).standard
        #expect(output.contains(#""pushed":1"#) && output.contains(#""beaten":0"#), "\(output)")
        #expect(try Programs.check("roost", "status", "--json", first).standard.contains(#""beaten":0"#))
        #expect(try Programs.check("roost", "journal", first).standard == "Every change is current.\n")
        #expect(try Programs.check("roost", "journal", "--json", first).standard.isEmpty)
        let all = try Programs.check("roost", "journal", "--all", "--json", first).lines
        #expect(all.count == 1 && all.allSatisfy { $0.contains(#""isCurrent":true"#) }, "\(all)")
        try Programs.sql(second, "update person set name = 'Anne'")
        for replica in [second, first] { try Programs.check("roost", "sync", replica) }
        #expect(try Programs.check("roost", "status", "--json", first).standard.contains(#""beaten":1"#))
        let journal = try Programs.check("roost", "journal", first).standard
        #expect(journal.contains("beaten") && journal.contains("name=Anna"), "\(journal)")
        let number = try #require(journal.split(separator: "\t").first.map(String.init))
        try Programs.check("roost", "restore", first, number)
        #expect(try Programs.sql(first, "select name from person").lines == ["Anna"])
        #expect(try Programs.check("roost", "journal", first).standard == "Every change is current.\n")
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
