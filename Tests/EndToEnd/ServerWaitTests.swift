import Foundation
import TestProcesses
import Testing

/// Commands of the server while another program holds its database. Each wait is bounded and announced.
@Suite(.serialized) struct ServerWaitTests {
    private struct Case {
        let name: String
        /// The statements that the other program has run inside its open transaction.
        let statements: String
        let command: [String]

        init(_ name: String, _ statements: String, _ command: [String]) {
            self.name = name
            self.statements = statements
            self.command = command
        }
    }

    private static let writing = "begin immediate"
    private static let holdingAll = "pragma locking_mode=exclusive; begin immediate; create table held(a)"

    private func cases(_ stage: Stage, scope: String) -> [Case] {
        [
            Case("accept", Self.writing, ["clock", "accept"]),
            Case("invite", Self.writing, ["owner", scope, "--server", "https://roost.example"]),
            Case("serve", Self.writing, ["serve", "--listen", "127.0.0.1:0"]),
            Case("list", Self.holdingAll, ["owner"]),
            Case("init", Self.holdingAll, ["init"]),
            Case("backup", Self.holdingAll, ["backup", "--to", stage.path("other.sqlite")]),
            Case("restore", Self.holdingAll, ["restore", "--from", stage.path("backup.sqlite")]),
        ]
    }

    /// The commands run concurrently, each on a copy of the folder, because each waits as long as it may.
    @Test func heldDatabaseIsNamed() throws {
        let stage = try Stage()
        _ = try stage.makeScope()
        try Programs.check(
            "roost-server", "backup", "--data", stage.path("server"), "--to", stage.path("backup.sqlite"))
        let list = try Programs.check("roost-server", "owner", "--data", stage.path("server"))
        let scope = try #require(list.standard.split(separator: " ").first)
        #expect(stage.server?.terminate() == 0)
        var holders: [RunningProgram] = []
        let running = try cases(stage, scope: String(scope)).map { item in
            let folder = stage.path(item.name)
            try FileManager.default.copyItem(atPath: stage.path("server"), toPath: folder)
            holders.append(try stage.hold(folder + "/roost.sqlite", item.statements))
            let program = try RunningProgram(
                "roost-server", item.command + ["--data", folder],
                log: stage.folder.appending(path: item.name + ".log"))
            return (item: item, folder: folder, program: program)
        }
        for (item, folder, program) in running {
            #expect(program.wait() == 75, "\(item.name): \(program.log)")
            #expect(program.log.contains("nother program holds the database"), "\(item.name): \(program.log)")
            #expect(program.log.contains(folder + "/roost.sqlite"), "\(item.name): \(program.log)")
            #expect(!program.log.contains("Check the disk"), "\(item.name): \(program.log)")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names.allSatisfy { !$0.contains("restoring") && !$0.contains("before") }, "\(names)")
        }
        for holder in holders { holder.kill() }
        for (item, folder, _) in running where !["serve", "init"].contains(item.name) {
            let output = try Programs.run("roost-server", item.command + ["--data", folder])
            #expect(output.status == 0, "\(item.name): \(output)")
        }
    }

    /// A running server does not report a full disk to its devices.
    @Test func serverThatRunsNamesTheHolderInItsLog() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        try Programs.sql(first, "insert into person(name) values ('Ana')")
        let holder = try stage.hold(stage.path("server/roost.sqlite"), Self.writing)
        let output = try Programs.run("roost", ["sync", "--time-limit", "20", first])
        #expect(output.status == 75, "\(output)")
        let isSaid = try eventually { stage.server?.log.contains("another program holds the database") == true }
        #expect(isSaid, "\(stage.server?.log ?? "")")
        holder.kill()
        try Programs.check("roost", "sync", first)
    }
}
