import Foundation
import TestProcesses
import Testing

@Suite(.serialized) struct DaemonTests {
    private func daemon(_ replica: String, _ stage: Stage) throws -> RunningProgram {
        try RunningProgram("roostd", [replica], log: stage.folder.appending(path: "\(UUID().uuidString).log"))
    }

    @Test func keepsTwoDevicesTogetherWhoeverWrites() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        let daemons = try [first, second].map { try daemon($0, stage) }
        for (number, replica) in [first, second].enumerated() {
            try Programs.sql(replica, "insert into person(name) values ('person \(number)')")
        }
        for replica in [first, second] {
            let arrived = try eventually { try Programs.sql(replica, "select count(*) from person").lines == ["2"] }
            #expect(arrived, "\(daemons.map(\.log))")
        }
        for daemon in daemons { #expect(daemon.terminate() == 0, "\(daemon.log)") }
    }

    /// Pushes and pulls that overlap are not reported as a difference between replica and server.
    @Test func busyDevicesRaiseNoFalseAlarm() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        let daemons = try [first, second].map { try daemon($0, stage) }
        for round in 0..<40 {
            for replica in [first, second] { try Programs.sql(replica, "insert into person(name) values ('\(round)')") }
        }
        for replica in [first, second] {
            let arrived = try eventually { try Programs.sql(replica, "select count(*) from person").lines == ["80"] }
            #expect(arrived, "\(daemons.map(\.log))")
            #expect(try Programs.sql(replica, "select text from roost_event where kind = 'integrity'").lines == [])
        }
        for daemon in daemons { #expect(daemon.terminate() == 0) }
    }

    @Test func goesOnByItselfWhenTheServerComesBack() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        let daemons = try [first, second].map { try daemon($0, stage) }
        stage.server?.kill()
        try Programs.sql(first, "insert into person(name) values ('offline')")
        let isTold = try eventually { try Programs.check("roost", "status", first).standard.contains("failing") }
        #expect(isTold)
        try stage.startServer()
        let arrived = try eventually(within: 90) {
            try Programs.sql(second, "select count(*) from person").lines == ["1"]
        }
        #expect(arrived, "\(daemons.map(\.log))")
        for daemon in daemons { #expect(daemon.terminate() == 0) }
    }

    /// A file has one lock, whichever of its names is used to open it.
    @Test func linkToAReplicaIsTheSameReplica() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let link = stage.path("link.roost")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: first)
        let daemon = try daemon(link, stage)
        let holds = try eventually {
            try Programs.check("roost", "status", first).standard.contains("by process \(daemon.identifier)")
        }
        #expect(holds, "\(daemon.log)")
        #expect(try Programs.run("roost", ["sync", first]).status == 75)
        #expect(daemon.terminate() == 0, "\(daemon.log)")
        try Programs.check("roost", "sync", first)
    }

    @Test func onlyOneProgramSynchronisesAReplica() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let running = try daemon(first, stage)
        let holds = try eventually {
            try Programs.check("roost", "status", first).standard.contains("by process \(running.identifier)")
        }
        #expect(holds, "\(running.log)")
        let output = try Programs.run("roost", ["sync", first])
        #expect(output.status == 75)
        #expect(output.error.contains("\(running.identifier)"))
        #expect(running.terminate() == 0)
        try Programs.check("roost", "sync", first)
    }

    /// A restored server may let the device in again, so the daemon continues. `roost sync` reports at once that user action
    /// is required.
    @Test func revokedDeviceKeepsItsDaemon() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        #expect(stage.server?.terminate() == 0)
        try Programs.sql(stage.path("server/roost.sqlite"), "update replica set revoked = 1")
        try stage.startServer()
        let running = try daemon(first, stage)
        let isSaid = try eventually { running.log.contains("tries again every 15 minutes") || !running.isRunning }
        #expect(isSaid && running.isRunning, "\(running.log)")
        #expect(try Programs.check("roost", "status", first).standard.contains("access was taken away"))
        #expect(running.terminate() == 0, "\(running.log)")
        #expect(try Programs.run("roost", ["sync", first]).status == 77)
    }

    /// The volume with the server's data was not mounted. The server knows no device until the data is back.
    @Test func daemonOutlastsAServerWithoutItsData() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        // The first sync stores the server's identity.
        try Programs.check("roost", "sync", first)
        #expect(stage.server?.terminate() == 0)
        try FileManager.default.moveItem(atPath: stage.path("server"), toPath: stage.path("unmounted"))
        try stage.startServer()
        let running = try daemon(first, stage)
        let isSaid = try eventually { running.log.contains("tries again every 5 minutes") || !running.isRunning }
        #expect(isSaid && running.isRunning, "\(running.log)")
        #expect(running.log.contains("Another server answers than before"), "\(running.log)")
        let sync = try Programs.run("roost", ["status", first])
        #expect(sync.status == 0)
        #expect(stage.server?.terminate() == 0)
        try FileManager.default.removeItem(atPath: stage.path("server"))
        try FileManager.default.moveItem(atPath: stage.path("unmounted"), toPath: stage.path("server"))
        try stage.startServer()
        #expect(running.terminate() == 0, "\(running.log)")
        try Programs.check("roost", "sync", first)
    }

    /// The server's digest does not match its pages, as after corruption.
    @Test func daemonOutlastsAServerThatContradictsItself() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        try Programs.sql(first, "insert into person(name) values ('Ana')")
        try Programs.check("roost", "sync", first)
        #expect(stage.server?.terminate() == 0)
        let server = stage.path("server/roost.sqlite")
        let digest = try Programs.sql(server, "select quote(digest) from scope").lines[0]
        try Programs.sql(server, "update scope set digest = randomblob(16)")
        try stage.startServer()
        let running = try daemon(first, stage)
        let isSaid = try eventually { running.log.contains("tried again in 15 minutes") || !running.isRunning }
        #expect(isSaid && running.isRunning, "\(running.log)")
        #expect(try Programs.sql(first, "select name from person").lines == ["Ana"])
        #expect(stage.server?.terminate() == 0)
        try Programs.sql(server, "update scope set digest = \(digest)")
        try stage.startServer()
        let earlier = running.log
        kill(running.identifier, SIGUSR1)
        let isWell = try eventually {
            running.log.dropFirst(earlier.count).contains("up to date") || !running.isRunning
        }
        #expect(isWell && running.isRunning, "\(running.log)")
        #expect(running.terminate() == 0, "\(running.log)")
    }

    /// A lock file that cannot be opened is not reported as another program.
    @Test func lockThatCannotBeOpenedIsNamed() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        try Programs.run("rm", ["-f", first + "-sync"])
        try FileManager.default.createDirectory(atPath: first + "-sync", withIntermediateDirectories: true)
        let output = try Programs.run("roost", ["sync", first])
        #expect(output.status == 75)
        #expect(output.error.contains("lock file") && !output.error.contains("Another program"), "\(output)")
    }
}
