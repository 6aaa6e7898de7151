import Foundation
import TestProcesses
import Testing

/// A device that has lost its access joins its scope again with its own file, and loses nothing.
@Suite(.serialized) struct RejoiningTests {
    private func names(_ replica: String) throws -> [String] {
        try Programs.sql(replica, "select name from person order by name").lines
    }

    private func add(_ name: String, to replica: String) throws {
        try Programs.sql(replica, "insert into person(name) values ('\(name)')")
    }

    private func backup(_ stage: Stage) throws {
        try Programs.check(
            "roost-server", "backup", "--data", stage.path("server"), "--to", stage.path("backup.sqlite"))
    }

    private func restore(_ stage: Stage) throws {
        stage.server?.kill()
        try Programs.check(
            "roost-server", "restore", "--data", stage.path("server"), "--from", stage.path("backup.sqlite"))
        try stage.startServer()
    }

    /// Returns the link that the operator of the server hands to an owner.
    private func ownerLink(_ stage: Stage, _ scope: String) throws -> String {
        try Programs.check(
            "roost-server", "owner", "--data", stage.path("server"), scope, "--server", stage.address
        ).lines.first ?? ""
    }

    /// Reproduces issue 45, row 5. Each restore makes a new history, and the second forgets the devices that joined after the
    /// first.
    @Test func twoRestoresFromOneBackupLockNobodyOut() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        try add("early", to: first)
        try Programs.check("roost", "sync", first)
        try backup(stage)
        let second = try stage.join(first, as: "b.roost")
        try add("pushed by b", to: second)
        for replica in [second, first] { try Programs.check("roost", "sync", replica) }
        try Programs.sql(second, "delete from person where name = 'early'")
        try restore(stage)
        try add("between", to: first)
        try Programs.check("roost", "sync", first)
        let third = try stage.join(first, as: "c.roost")
        try add("pushed by c", to: third)
        for replica in [third, first] { try Programs.check("roost", "sync", replica) }
        try add("pending in c", to: third)
        try restore(stage)
        let lost = try Programs.run("roost", ["sync", third])
        #expect(lost.status == 77 && lost.error.contains("roost join"), "\(lost)")
        for replica in [second, third] {
            let link = try Programs.check("roost", "invite", first).lines[0]
            let output = try Programs.check("roost", "join", link, replica)
            #expect(output.standard.contains("again"), "\(output)")
        }
        try expectAgreement(
            [first, second, third], ["between", "pending in c", "pushed by b", "pushed by c"], allCurrent: true)
        #expect(try Programs.check("roost", "log", third).standard.contains("rejoined"))
    }

    /// The server knows no device any more, not even the only owner. The operator lets the owner in.
    @Test func theOperatorAppointsAnOwner() throws {
        let stage = try Stage()
        try Programs.check(
            "roost-server", "backup", "--data", stage.path("server"), "--to", stage.path("empty.sqlite"))
        let owner = try stage.makeScope()
        let other = try stage.join(owner, as: "b.roost")
        for replica in [owner, other] { try add(replica.suffix(7).prefix(1).description, to: replica) }
        for replica in [owner, other, owner] { try Programs.check("roost", "sync", replica) }
        let id = try Programs.check("roost", "status", owner, "--json").standard
        let scope = try #require(
            (JSONSerialization.jsonObject(with: Data(id.utf8)) as? [String: Any])?["scope"] as? String)
        #expect(
            try Programs.check("roost-server", "owner", "--data", stage.path("server")).standard.contains(
                "\(scope)  2 devices, 1 owners"))
        try Programs.sql(
            stage.path("server/roost.sqlite"), "delete from token; update replica set revoked = 1")
        stage.server?.kill()
        try stage.startServer()
        #expect(try Programs.run("roost", ["sync", owner]).status == 77)
        // The link can also be made while the server runs. It is for one device.
        let link = try ownerLink(stage, scope)
        try Programs.check("roost", "join", link, owner)
        #expect(try Programs.run("roost", ["join", link, other]).error.contains("invite"))
        let next = try Programs.check("roost", "invite", owner).lines[0]
        try Programs.check("roost", "join", next, other)
        try expectAgreement([owner, other], ["a", "b"], allCurrent: true)
        let unknown = try Programs.run(
            "roost-server", ["owner", "--data", stage.path("server"), "nobody", "--server", stage.address])
        #expect(unknown.status == 64)
    }

    @Test func aCompleteReplicaSeedsANewServer() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        for number in 1...3 { try add("record \(number)", to: first) }
        for replica in [first, second] { try Programs.check("roost", "sync", replica) }
        try Programs.sql(first, "delete from person where name = 'record 3'")
        try Programs.check("roost", "sync", first)
        try add("pending", to: first)
        try add("pending in b", to: second)
        try Programs.sql(second, "update person set name = 'edited' where name = 'record 2'")
        stage.server?.kill()
        try FileManager.default.removeItem(atPath: stage.path("server"))
        try stage.startServer()
        #expect(try Programs.run("roost", ["sync", first]).status == 77)
        let token = ["ROOST_ADMIN_TOKEN": stage.adminToken]
        try Programs.check("roost", "init", first, "--server", stage.address, "--seed", environment: token)
        // The server now has the scope.
        #expect(
            try Programs.run(
                "roost", ["init", second, "--server", stage.address, "--seed"], environment: token
            ).error.contains("has it"))
        try Programs.check("roost", "sync", first)
        let link = try Programs.check("roost", "invite", first).lines[0]
        try Programs.check("roost", "join", link, second)
        try expectAgreement([first, second], ["edited", "pending", "pending in b", "record 1"], allCurrent: true)
    }

    @Test func aLostTokenFileLosesNothing() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        try add("pushed", to: second)
        try Programs.check("roost", "sync", second)
        try FileManager.default.removeItem(atPath: second + "-token")
        try add("pending", to: second)
        #expect(try Programs.run("roost", ["sync", second]).status == 77)
        let link = try Programs.check("roost", "invite", first).lines[0]
        try Programs.check("roost", "join", link, second)
        try expectAgreement([first, second], ["pending", "pushed"], allCurrent: true)
    }

    @Test func aFileIsNotAttachedToAnotherScope() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let other = try stage.makeScope("other.roost")
        let link = try Programs.check("roost", "invite", other).lines[0]
        #expect(try Programs.run("roost", ["join", link, first]).error.contains("another scope"))
        // The refused join has not used up the invite.
        try Programs.check("roost", "join", link, stage.path("new.roost"))
        try Programs.check("roost", "sync", first)
    }

    /// Both files continue, each with its pending changes.
    @Test func aCopyJoinsWithAnIdentityOfItsOwn() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        try add("early", to: first)
        try Programs.check("roost", "sync", first)
        try add("pending", to: first)
        let copy = stage.path("copy.roost")
        try Programs.sql(first, "vacuum into '\(copy)'")
        try add("in the copy", to: copy)
        let link = try Programs.check("roost", "invite", first).lines[0]
        // The credentials are not in the file.
        #expect(try Programs.run("roost", ["sync", copy]).error.contains("no credentials"))
        #expect(
            try Programs.check("roost", "status", copy).standard.contains("no credentials: run `roost join LINK"))
        try Programs.check("roost", "join", link, copy)
        try Programs.sql(first, "delete from person where name = 'early'")
        // The change that was pending in both files is sent twice. One of the two equal forms is beaten, and is current all the
        // same.
        try expectAgreement([copy, first], ["in the copy", "pending"], allCurrent: true)
        let beaten = try [copy, first].map { try Programs.check("roost", "journal", "--all", $0).standard }
        #expect(beaten.joined().contains("The record has this content all the same."), "\(beaten)")
    }
}
