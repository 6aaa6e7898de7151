import Foundation
import TestProcesses
import Testing

/// A server that is restored repeatedly, from one backup or from several in any order. Every device that the backup knows
/// continues without user action, even the only owner.
@Suite(.serialized) struct RepeatedRestoreTests {
    /// A server, devices of one scope, and backups.
    private final class Group {
        let stage: Stage
        let devices: [String]
        private(set) var names: Set<String> = []
        private var count = 0

        init(devices count: Int) throws {
            stage = try Stage()
            let owner = try stage.makeScope()
            let stage = stage
            devices = try [owner] + (1..<count).map { try stage.join(owner, as: "device\($0).roost") }
        }

        /// Writes a row on each device, without synchronising.
        func write() throws {
            for device in devices {
                count += 1
                let name = String(format: "row %03d", count)
                try Programs.sql(device, "insert into person(name) values ('\(name)')")
                names.insert(name)
            }
        }

        /// Edits a row and deletes another one on each device.
        func change() throws {
            for (index, device) in devices.enumerated() {
                let there = try Programs.sql(device, "select name from person order by name").lines
                guard there.count > 2 * devices.count else { continue }
                let (edited, deleted) = (there[2 * index], there[2 * index + 1])
                try Programs.sql(device, "update person set name = '\(edited)+' where name = '\(edited)'")
                try Programs.sql(device, "delete from person where name = '\(deleted)'")
                names.subtract([edited, deleted])
                names.insert("\(edited)+")
            }
        }

        /// Writes on all devices and synchronises twice; no device may fail.
        func work() throws {
            try write()
            for _ in 0..<2 { for device in devices { try Programs.check("roost", "sync", device) } }
            try change()
            for _ in 0..<2 { for device in devices { try Programs.check("roost", "sync", device) } }
        }

        func backup(_ name: String) throws {
            try Programs.check(
                "roost-server", "backup", "--data", stage.path("server"), "--to", stage.path("\(name).sqlite"))
        }

        /// Restores a backup while changes are pending on the devices.
        func restore(_ name: String) throws {
            try write()
            stage.server?.kill()
            try Programs.check(
                "roost-server", "restore", "--data", stage.path("server"), "--from", stage.path("\(name).sqlite"))
            try stage.startServer()
        }
    }

    @Test func restoresInAnyNumberAndOrderLockNobodyOut() throws {
        let group = try Group(devices: 3)
        try group.work()
        try group.backup("A")
        try group.work()
        // The second backup has other tokens than the first, and no longer accepts one of the first.
        try Programs.check("roost", "token", "rotate", group.devices[0])
        try Programs.check("roost", "token", "rotate", group.devices[1])
        try group.work()
        try group.backup("B")
        try group.work()
        for name in ["A", "A", "B", "A"] {
            try group.restore(name)
            try group.work()
        }
        try group.restore("B")
        let early = try Programs.run("roost", ["invite", group.devices[0]])
        #expect(early.status == 77 && early.error.contains("Synchronise first"), "\(early)")
        try group.work()
        try expectAgreement(group.devices, group.names.sorted())
        // The only owner is still an owner.
        _ = try group.stage.join(group.devices[0], as: "late.roost")
        for device in group.devices {
            let log = try Programs.check("roost", "log", device).standard
            #expect(log.contains("an earlier one"), "\(log)")
        }
    }

    /// Daemons keep their replicas synchronised through all restores, without being started or woken.
    @Test func daemonsGoOnThroughRestores() throws {
        let group = try Group(devices: 3)
        let daemons = try group.devices.map { device in
            try RunningProgram(
                "roostd", [device], log: group.stage.folder.appending(path: "\(UUID().uuidString).log"))
        }
        func everyoneHasAll() throws {
            for device in group.devices {
                let arrived = try eventually(within: 120) {
                    try Programs.sql(device, "select name from person order by name").lines == group.names.sorted()
                }
                #expect(arrived, "\(daemons.map(\.log))")
            }
        }
        try group.write()
        try everyoneHasAll()
        try group.backup("A")
        try group.write()
        try everyoneHasAll()
        for name in ["A", "A"] {
            try group.restore(name)
            try everyoneHasAll()
        }
        try group.backup("B")
        for name in ["A", "B", "A"] {
            try group.restore(name)
            try everyoneHasAll()
        }
        for daemon in daemons { #expect(daemon.terminate() == 0, "\(daemon.log)") }
        try expectAgreement(group.devices, group.names.sorted())
    }

    /// A device that an owner has revoked stays out, whatever tokens it has had. The server does not know the present token,
    /// because it was restored from a backup in which the device is revoked under an earlier identity.
    @Test func aRevokedDeviceStaysOut() throws {
        let group = try Group(devices: 2)
        let (owner, other) = (group.devices[0], group.devices[1])
        let list = try Programs.check("roost", "devices", owner, "--json").lines
        let replica = try #require(
            try list.compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }.last)
        try group.work()
        try group.backup("A")
        try Programs.check("roost", "revoke", owner, try #require(replica["replica"] as? String))
        try group.backup("B")
        // Access is as it was at the time of the backup.
        for name in ["A", "A"] {
            try group.restore(name)
            try group.work()
        }
        let tokens = try String(contentsOfFile: other + "-token", encoding: .utf8)
        try group.restore("B")
        for _ in 0..<2 {
            let output = try Programs.run("roost", ["sync", other])
            #expect(output.status == 77 && output.error.contains("roost join"), "\(output)")
        }
        #expect(try Programs.check("roost", "status", other).standard.contains("failing"))
        // The device keeps its tokens and its pending changes.
        #expect(try String(contentsOfFile: other + "-token", encoding: .utf8) == tokens)
        for _ in 0..<2 { try Programs.check("roost", "sync", owner) }
        let waiting = try Programs.sql(other, "select count(*) from roost_outbox").lines
        #expect(waiting != ["0"])
    }

    /// A device that joined after the backup joins again with its file, and then also follows each restore.
    @Test func aDeviceThatJoinedAgainGoesOnToo() throws {
        let group = try Group(devices: 2)
        try group.backup("A")
        let late = try group.stage.join(group.devices[0], as: "late.roost")
        try Programs.sql(late, "insert into person(name) values ('zz late')")
        try Programs.check("roost", "sync", late)
        try group.work()
        try group.backup("B")
        try group.restore("A")
        try group.work()
        let output = try Programs.run("roost", ["sync", late])
        #expect(output.status == 77 && output.error.contains("roost join LINK FILE"), "\(output)")
        let link = try Programs.check("roost", "invite", group.devices[0]).lines[0]
        try Programs.check("roost", "join", link, late)
        try group.backup("C")
        for name in ["B", "C", "B", "A", "C", "B"] {
            try group.restore(name)
            try group.work()
            // Backup A knows none of the device's identities. The last backup is another one.
            try Programs.run("roost", ["sync", late])
        }
        try expectAgreement([late] + group.devices, (group.names.union(["zz late"])).sorted())
    }

    /// A token file has leaked. Once the device's token is replaced, no token in that file grants access.
    @Test func aLeakedTokenFileIsWorthNothingAfterARotation() throws {
        let group = try Group(devices: 1)
        let owner = group.devices[0]
        try group.work()
        try group.backup("A")
        for name in ["A", "A", "A"] {
            try group.restore(name)
            try group.work()
        }
        try group.backup("B")
        let leaked = try String(contentsOfFile: owner + "-token", encoding: .utf8)
        let tokens = Set(leaked.split { $0 == " " || $0 == "\n" }.filter { $0.hasPrefix("roost_d_") })
        #expect(tokens.count == 3)
        try Programs.check("roost", "token", "rotate", owner)
        try group.work()
        for token in tokens {
            #expect(try status(of: "\(group.stage.address)/v1/me", by: String(token)) == "401")
        }
        try group.work()
        for name in ["A", "B"] {
            try group.restore(name)
            try group.work()
        }
        try expectAgreement([owner], group.names.sorted())
    }

    private func status(of address: String, by token: String) throws -> String {
        let curl = Process()
        let output = Pipe()
        curl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        curl.arguments = [
            "curl", "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", "--header",
            "Authorization: Bearer \(token)", address,
        ]
        curl.standardOutput = output
        try curl.run()
        curl.waitUntilExit()
        return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    /// The tokens of one server are not tried after a refusal by another.
    @Test func tokensStayWithTheServerThatTheyWereMadeFor() throws {
        let group = try Group(devices: 2)
        try group.work()
        let (first, second) = (group.stage, try Stage())
        let (owner, other) = (group.devices[0], group.devices[1])
        try Programs.check(
            "roost", "init", owner, "--server", second.address, "--seed",
            environment: ["ROOST_ADMIN_TOKEN": second.adminToken])
        try Programs.check("roost", "sync", owner)
        try Programs.sql(
            second.path("server/roost.sqlite"), "delete from token")
        second.server?.kill()
        try second.startServer()
        let output = try Programs.run("roost", ["sync", owner])
        #expect(output.status == 77 && !output.error.contains("earlier tokens"), "\(output)")
        // The first server still knows the device.
        try Programs.check("roost", "sync", other)
        let link =
            try Programs.check(
                "roost-server", "owner", "--data", first.path("server"), try scope(of: owner), "--server", first.address
            ).lines.first ?? ""
        try Programs.check("roost", "join", link, owner)
        try expectAgreement([owner, other], group.names.sorted())
        let history = try String(contentsOfFile: owner + "-token", encoding: .utf8)
        #expect(history.contains(second.address) && history.contains(first.address))
    }

    private func scope(of replica: String) throws -> String {
        let status = try Programs.check("roost", "status", replica, "--json").standard
        let members = try JSONSerialization.jsonObject(with: Data(status.utf8)) as? [String: Any]
        return try #require(members?["scope"] as? String)
    }
}
