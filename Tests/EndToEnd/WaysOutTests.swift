import Foundation
import TestLoopback
import TestProcesses
import Testing

/// States of Docs/reliability.md, "States and the ways out". Each one is left by the command or event that the table names.
@Suite(.serialized) struct WaysOutTests {
    private func names(_ replica: String) throws -> [String] {
        try Programs.sql(replica, "select name from person order by name").lines
    }

    private func add(_ name: String, to replica: String) throws {
        try Programs.sql(replica, "insert into person(name) values ('\(name)')")
    }

    private func health(_ address: String) throws -> String {
        try Programs.run("curl", ["--silent", "\(address)/v1/health"]).standard
    }

    // MARK: The server's clock

    private static let dayMilliseconds: UInt64 = 24 * 3_600_000

    /// Copies the data folder, or restores it from a copy, while no server runs.
    private func copyData(_ stage: Stage, from: String, to: String) throws {
        stage.server?.kill()
        try? FileManager.default.removeItem(atPath: stage.path(to))
        try FileManager.default.copyItem(atPath: stage.path(from), toPath: stage.path(to))
        try stage.startServer()
    }

    /// Writes on a device while the server's clock is three days ahead.
    private func writeAtAWrongTime(_ replica: String, _ stage: Stage) throws {
        let ahead = UInt64(Date().timeIntervalSince1970 * 1000) + 3 * Self.dayMilliseconds
        let reading = String(repeating: "0", count: 16 - String(ahead, radix: 16).count) + String(ahead, radix: 16)
        stage.server?.kill()
        // Format 1: the last reading, the greatest reading, and no jump.
        try Programs.sql(
            stage.path("server/roost.sqlite"),
            "update setting set value = x'01\(reading)\(reading)\(String(repeating: "0", count: 32))' where name = 'clock'"
        )
        try stage.startServer()
        try Programs.sql(replica, "update roost_control set reading = \(ahead << 16)")
        try add("of tomorrow", to: replica)
        try Programs.check("roost", "sync", replica)
    }

    /// The copy lacks the clock's readings since it was made. Every device that has seen a later one is refused, until the
    /// operator states what the clock has shown.
    @Test func operatorLetsDevicesInAfterACopyWasPutBackByHand() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        try add("before", to: first)
        for replica in [first, second] { try Programs.check("roost", "sync", replica) }
        try copyData(stage, from: "server", to: "aside")
        try writeAtAWrongTime(first, stage)
        try Programs.check("roost", "sync", second)
        try add("after it", to: second)
        try copyData(stage, from: "aside", to: "server")
        for replica in [first, second] {
            let refused = try Programs.run("roost", ["sync", replica])
            #expect([75, 77].contains(refused.status), "\(refused)")
            #expect(refused.error.contains("ahead"), "\(refused)")
        }
        let log = try #require(stage.server).log
        let line = try #require(
            log.split(separator: "\n").first { $0.contains("ahead of all that the clock has shown") })
        let stamp = try #require(line.firstMatch(of: /stamp=([-0-9T:]+Z)/)).output.1
        let wrong = try Programs.run(
            "roost-server", ["clock", "accept", "--data", stage.path("server"), "--shown", "2020-01-01T00:00:00Z"])
        #expect(wrong.status == 64, "\(wrong)")
        // The server continues to run.
        let accepted = try Programs.check(
            "roost-server", "clock", "accept", "--data", stage.path("server"), "--shown", String(stamp))
        #expect(accepted.standard.contains("stamps up to five minutes after"), "\(accepted)")
        for replica in [second, first] { try Programs.check("roost", "sync", replica) }
        try expectAgreement([first, second], ["after it", "before", "of tomorrow"])
    }

    // MARK: The server

    /// The corrupt page at the end is in use. Only the check of all pages detects it.
    @Test func damagedServerIsHealthyOnceABackupIsRestored() throws {
        let stage = try Stage()
        let replica = try stage.makeScope()
        try add("Ana", to: replica)
        try Programs.check("roost", "sync", replica)
        let (data, backup) = (stage.path("server"), stage.path("backup.sqlite"))
        try Programs.check("roost-server", "backup", "--data", data, "--to", backup)
        #expect(stage.server?.terminate() == 0)
        let file = try FileHandle(forUpdating: URL(filePath: data + "/roost.sqlite"))
        let end = try file.seekToEnd()
        try file.seek(toOffset: end - 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        try file.close()
        try stage.startServer()
        let isSeen = try eventually { try health(stage.address).contains(#""status":"damaged""#) }
        #expect(isSeen)
        #expect(stage.server?.terminate() == 0)
        try Programs.check("roost-server", "restore", "--data", data, "--from", backup)
        try stage.startServer()
        try Programs.check("roost", "sync", replica)
        #expect(try health(stage.address).contains(#""status":"ok""#))
    }

    /// The file is left by an interrupted copy.
    @Test func halfADatabaseIsReplacedByABackup() throws {
        let stage = try Stage()
        let replica = try stage.makeScope()
        try add("Ana", to: replica)
        try Programs.check("roost", "sync", replica)
        let (data, backup) = (stage.path("server"), stage.path("backup.sqlite"))
        try Programs.check("roost-server", "backup", "--data", data, "--to", backup)
        #expect(stage.server?.terminate() == 0)
        let database = URL(filePath: data + "/roost.sqlite")
        try Data(contentsOf: database).dropLast(5000).write(to: database)
        let refused = try Programs.run("roost-server", ["serve", "--data", data, "--listen", "127.0.0.1:0"])
        #expect(refused.status == 74 && refused.error.contains("Restore a backup"), "\(refused)")
        try Programs.check("roost-server", "restore", "--data", data, "--from", backup)
        try stage.startServer()
        try Programs.check("roost", "sync", replica)
        #expect(try names(replica) == ["Ana"])
    }

    @Test func folderThatIsOpenToOthersIsServedAfterChmod() throws {
        let stage = try Stage()
        #expect(stage.server?.terminate() == 0)
        let data = stage.path("server")
        for (path, mode) in [(data, "755"), (data + "/admin-token", "644")] {
            try Programs.check("chmod", mode, path)
            let refused = try Programs.run("roost-server", ["serve", "--data", data, "--listen", "127.0.0.1:0"])
            #expect(refused.status == 74, "\(refused)")
            let command = try #require(refused.error.firstMatch(of: /Run (chmod [0-9]+) on it/)).output.1
            try Programs.check("chmod", String(command.dropFirst(6)), path)
        }
        try stage.startServer()
    }

    /// Secrets that are deleted as the message advises are made again. Devices keep their tokens.
    @Test func damagedSecretsAreMadeAgain() throws {
        let stage = try Stage()
        let replica = try stage.makeScope()
        #expect(stage.server?.terminate() == 0)
        let data = stage.path("server")
        // An empty token-secret is made again without being deleted: ServerProgramTests.aSecretThatWasCutOffIsMadeAnew.
        for (name, bytes) in [("admin-token", "0"), ("token-secret", "7")] {
            let path = data + "/" + name
            try Programs.check("truncate", "--size", bytes, path)
            let refused = try Programs.run("roost-server", ["serve", "--data", data, "--listen", "127.0.0.1:0"])
            #expect(refused.status == 74 && refused.error.contains("Delete it to get a new one"), "\(refused)")
            try FileManager.default.removeItem(atPath: path)
        }
        try stage.startServer()
        try Programs.check("roost", "sync", replica)
    }

    @Test func serverStartsOnceTheOtherHasEnded() throws {
        let stage = try Stage()
        let replica = try stage.makeScope()
        let arguments = ["serve", "--data", stage.path("server"), "--listen", "127.0.0.1:0"]
        let refused = try Programs.run("roost-server", arguments)
        #expect(
            refused.status == 74 && refused.error.contains("another roost-server does. Stop it first"), "\(refused)")
        #expect(stage.server?.terminate() == 0)
        try stage.startServer()
        try Programs.check("roost", "sync", replica)
    }

    @Test func messagesNameAnotherFolderOrAddress() throws {
        let stage = try Stage()
        let replica = try stage.makeScope()
        let taken = try Programs.run(
            "roost-server",
            ["serve", "--data", stage.path("other"), "--listen", String(stage.address.dropFirst("http://".count))])
        #expect(taken.status == 69 && taken.error.contains("Choose another address with --listen"), "\(taken)")
        #expect(stage.server?.terminate() == 0)
        let (data, aside) = (stage.path("server"), stage.path("aside"))
        try FileManager.default.moveItem(atPath: data, toPath: aside)
        try FileManager.default.createSymbolicLink(atPath: data, withDestinationPath: aside)
        let link = try Programs.run("roost-server", ["serve", "--data", data, "--listen", "127.0.0.1:0"])
        #expect(link.status == 74 && link.error.contains("a symbolic link. Name what it leads to"), "\(link)")
        try FileManager.default.removeItem(atPath: data)
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        try Programs.check("chmod", "700", data)
        try Data("this is the data of something else altogether".utf8).write(to: URL(filePath: data + "/roost.sqlite"))
        let foreign = try Programs.run("roost-server", ["serve", "--data", data, "--listen", "127.0.0.1:0"])
        #expect(foreign.status == 74 && foreign.error.contains("Choose another folder"), "\(foreign)")
        try FileManager.default.removeItem(atPath: data)
        try FileManager.default.moveItem(atPath: aside, toPath: data)
        try stage.startServer()
        try Programs.check("roost", "sync", replica)
    }

    // MARK: The scope

    /// A refused transaction is in the journal. Once the limit is raised, it is written again from there.
    @Test func scopeTakesMoreOnceItsLimitIsRaised() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        try add("one", to: first)
        try Programs.check("roost", "sync", first)
        stage.server?.kill()
        try stage.startServer(environment: ["ROOST_RECORDS_PER_SCOPE_MAX": "1"])
        try add("two", to: first)
        let output = try Programs.check("roost", "sync", first)
        #expect(output.standard.contains("1 of your changes was refused"), "\(output)")
        let entry = try #require(try Programs.check("roost", "journal", first).lines.first { $0.contains("refused") })
        stage.server?.kill()
        try stage.startServer()
        try Programs.check("roost", "restore", first, String(entry.prefix { $0 != "\t" }))
        for replica in [first, second] { try Programs.check("roost", "sync", replica) }
        try expectAgreement([first, second], ["one", "two"])
    }

    @Test func deviceJoinsOnceAnotherIsRevoked() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        stage.server?.kill()
        try stage.startServer(environment: ["ROOST_REPLICAS_PER_SCOPE_MAX": "2"])
        _ = try stage.join(first, as: "b.roost")
        let link = try Programs.check("roost", "invite", first).lines[0]
        let refused = try Programs.run("roost", ["join", link, stage.path("c.roost")])
        #expect(refused.status == 64 && refused.error.contains("Revoke one that is no longer used"), "\(refused)")
        try Programs.check("roost", "revoke", first, "b.roost")
        try Programs.check("roost", "join", link, stage.path("c.roost"))
    }

    @Test func inviteIsMadeOnceAnotherIsTakenBack() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        stage.server?.kill()
        try stage.startServer(environment: ["ROOST_OPEN_INVITES_PER_SCOPE_MAX": "1"])
        try Programs.check("roost", "invite", first)
        let refused = try Programs.run("roost", ["invite", first])
        #expect(refused.status == 64 && refused.error.contains("1 invites are open, the limit is 1"), "\(refused)")
        let open = try Programs.check("roost", "invites", first).standard
        let id = try #require(open.firstMatch(of: /[0-9a-f]{16}/)).output
        try Programs.check("roost", "invite", first, "--revoke", String(id))
        try Programs.check("roost", "invite", first)
    }

    @Test func usedInviteIsReplacedByANewOne() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let link = try Programs.check("roost", "invite", first).lines[0]
        try Programs.check("roost", "join", link, stage.path("b.roost"))
        #expect(try Programs.run("roost", ["join", link, stage.path("c.roost")]).status == 77)
        let next = try Programs.check("roost", "invite", first).lines[0]
        try Programs.check("roost", "join", next, stage.path("c.roost"))
    }

    @Test func lastOwnerGoesOnceThereIsAnother() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let refused = try Programs.run("roost", ["role", first, "a.roost", "editor"])
        #expect(refused.status == 64 && refused.error.contains("Make another device an owner first"), "\(refused)")
        _ = try stage.join(first, as: "b.roost", role: "owner")
        try Programs.check("roost", "role", first, "a.roost", "editor")
    }

    /// Two owners change the schema. The second one adopts the published version, and publishes the version after it.
    @Test func schemaIsPublishedOnceThePublishedOneIsTakenUp() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost", role: "owner")
        func schema(_ version: Int, _ names: [String]) throws -> String {
            let attributes = names.enumerated().map {
                #", {"id": \#(20 + $0.offset), "name": "\#($0.element)", "type": "string", "optional": true}"#
            }
            let text = Stage.schema.replacing(#""version": 1"#, with: #""version": \#(version)"#).replacing(
                #""default": 0}"#, with: #""default": 0}"# + attributes.joined())
            let path = stage.path("\(UUID().uuidString).json")
            try Data(text.utf8).write(to: URL(filePath: path))
            return path
        }
        let published = try schema(2, ["place"])
        try Programs.check("roost", "migrate", first, published)
        try Programs.check("roost", "schema", "publish", first, published)
        let refused = try Programs.run("roost", ["schema", "publish", second, try schema(2, ["town"])])
        #expect(refused.status != 0, "\(refused)")
        try Programs.check("roost", "sync", second)
        try Programs.check("roost", "migrate", second)
        let next = try schema(3, ["place", "town"])
        try Programs.check("roost", "migrate", second, next)
        try Programs.check("roost", "schema", "publish", second, next)
        try Programs.check("roost", "sync", second)
    }

    // MARK: The daemon

    @Test func daemonStartsOnceItsFileIsThere() throws {
        let stage = try Stage()
        let late = stage.path("a.roost")
        let log = stage.folder.appending(path: "daemon.log")
        #expect(try RunningProgram("roostd", [late], log: log).wait() == 66)
        _ = try stage.makeScope()
        let daemon = try RunningProgram("roostd", [late], log: log)
        let isUp = try eventually { daemon.log.contains("up to date") }
        #expect(isUp, "\(daemon.log)")
        #expect(daemon.terminate() == 0, "\(daemon.log)")
    }

    // MARK: The replica

    @Test func folderAtThePlaceOfTheLockIsRemoved() throws {
        let stage = try Stage()
        let replica = try stage.makeScope()
        try Programs.check("rm", "-f", replica + "-sync")
        try FileManager.default.createDirectory(atPath: replica + "-sync", withIntermediateDirectories: true)
        let refused = try Programs.run("roost", ["sync", replica])
        #expect(refused.status == 75 && refused.error.contains("its lock file"), "\(refused)")
        try FileManager.default.removeItem(atPath: replica + "-sync")
        try Programs.check("roost", "sync", replica)
    }

    @Test func syncThatHasTakenItsTimeIsContinued() throws {
        let stage = try Stage()
        let replica = try stage.makeScope()
        try add("Ana", to: replica)
        let slow = try LoopbackServer { _, connection in
            connection.trickle()
            return .close
        }
        try Programs.sql(
            replica, "update roost_state set value = 'http://127.0.0.1:\(slow.port)' where name = 'server'")
        let refused = try Programs.run("roost", ["sync", replica, "--time-limit", "1"])
        slow.close()
        #expect(refused.status == 75 && refused.error.contains("Not done after"), "\(refused)")
        try Programs.sql(replica, "update roost_state set value = '\(stage.address)' where name = 'server'")
        try Programs.check("roost", "sync", replica)
    }

    @Test func revokedDeviceJoinsAgain() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        try add("pending", to: second)
        try Programs.check("roost", "revoke", first, "b.roost")
        let refused = try Programs.run("roost", ["sync", second])
        #expect(refused.status == 77 && refused.error.contains("access was taken away"), "\(refused)")
        let link = try Programs.check("roost", "invite", first).lines[0]
        try Programs.check("roost", "join", link, second)
        try expectAgreement([first, second], ["pending"])
    }

    @Test func localReplicaGetsAScope() throws {
        let stage = try Stage()
        _ = try stage.makeScope()
        let local = stage.path("local.roost")
        try Programs.check("roost", "init", local, "--schema", stage.path("schema.json"))
        try add("Ana", to: local)
        #expect(try Programs.run("roost", ["sync", local]).status == 64)
        try Programs.check(
            "roost", "init", local, "--server", stage.address, environment: ["ROOST_ADMIN_TOKEN": stage.adminToken])
        try Programs.check("roost", "sync", local)
        #expect(try Programs.check("roost", "status", local).standard.contains("waiting   nothing"))
    }

    /// A file whose schema table or identity is corrupt cannot be repaired. A new file gets the server's records by a join.
    @Test func fileThatCannotBeRepairedIsReplacedByAJoin() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        try add("Ana", to: second)
        try Programs.check("roost", "sync", second)
        try Programs.sql(second, "pragma wal_checkpoint(truncate)")
        let page = try Programs.sql(
            second, "select rootpage from sqlite_schema where name = 'roost_state'; pragma page_size"
        ).lines.compactMap { Int($0) }
        let handle = try FileHandle(forWritingTo: URL(filePath: second))
        try handle.seek(toOffset: UInt64((page[0] - 1) * page[1]))
        try handle.write(contentsOf: Data(count: page[1]))
        try handle.close()
        let refused = try Programs.run("roost", ["repair", second])
        #expect(refused.status == 65 && refused.error.contains("join the scope again"), "\(refused)")
        let link = try Programs.check("roost", "invite", first).lines[0]
        let new = stage.path("new.roost")
        try Programs.check("roost", "join", link, new)
        try expectAgreement([first, new], ["Ana"])
    }

    /// A captive portal, or another server, answers at the address.
    @Test func answerOfAnotherServerIsLeftForLater() throws {
        let stage = try Stage()
        let replica = try stage.makeScope()
        try add("Ana", to: replica)
        stage.server?.kill()
        let port = try #require(stage.address.split(separator: ":").last)
        let portal = try RunningProgram(
            "python3", ["-m", "http.server", String(port), "--bind", "127.0.0.1", "--directory", stage.path("server")],
            log: stage.folder.appending(path: "portal.log"))
        let isUp = try eventually { try Programs.run("curl", ["--silent", stage.address]).status == 0 }
        #expect(isUp, "\(portal.log)")
        let refused = try Programs.run("roost", ["sync", replica])
        #expect(refused.status == 75, "\(refused)")
        portal.kill()
        try stage.startServer()
        try Programs.check("roost", "sync", replica)
    }
}

/// States of a server's disk. They are left by freeing space or by mounting the disk writable.
@Suite(.enabled(if: SmallDisk.isPossible)) struct DiskWaysOutTests {
    private func serve(_ data: String, _ stage: Stage) throws -> RunningProgram {
        try RunningProgram(
            "roost-server", ["serve", "--data", data, "--listen", "127.0.0.1:0"],
            log: stage.folder.appending(path: "\(UUID().uuidString).log"))
    }

    private func address(_ server: RunningProgram) throws -> String {
        let isUp = try eventually { server.log.contains("listening on ") || !server.isRunning }
        #expect(isUp && server.isRunning, "\(server.log)")
        return String(try #require(server.log.firstMatch(of: /listening on (http:[^\s]+)/)).output.1)
    }

    /// A running server checks at most every 10 seconds whether it can write.
    @Test func healthSaysThatTheDiskIsFullUntilThereIsRoom() throws {
        let stage = try Stage()
        _ = try stage.makeScope()
        #expect(stage.server?.terminate() == 0)
        let disk = try SmallDisk(stage.path("disk"), kilobytes: 4000)
        try FileManager.default.copyItem(atPath: stage.path("server"), toPath: disk.path + "/server")
        let server = try serve(disk.path + "/server", stage)
        let health = try address(server) + "/v1/health"
        try disk.fill()
        let isSeen = try eventually {
            try Programs.run("curl", ["--silent", health]).standard.contains(#""status":"storage_unavailable""#)
        }
        #expect(isSeen, "\(server.log)")
        try disk.makeRoom()
        let isWell = try eventually {
            try Programs.run("curl", ["--silent", health]).standard.contains(#""status":"ok""#)
        }
        #expect(isWell, "\(server.log)")
        #expect(server.terminate() == 0, "\(server.log)")
    }

    @Test func folderIsServedOnceItCanBeWritten() throws {
        let stage = try Stage()
        _ = try stage.makeScope()
        #expect(stage.server?.terminate() == 0)
        let disk = try SmallDisk(stage.path("disk"), kilobytes: 4000)
        let data = disk.path + "/server"
        try FileManager.default.copyItem(atPath: stage.path("server"), toPath: data)
        try Programs.check("mount", "-o", "remount,ro", disk.path)
        let refused = try Programs.run("roost-server", ["serve", "--data", data, "--listen", "127.0.0.1:0"])
        #expect(refused.status == 74 && refused.error.contains("Cannot write to the folder"), "\(refused)")
        try Programs.check("mount", "-o", "remount,rw", disk.path)
        let server = try serve(data, stage)
        _ = try address(server)
        #expect(server.terminate() == 0, "\(server.log)")
    }
}
