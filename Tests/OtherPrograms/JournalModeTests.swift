import Foundation
import TestProcesses
import Testing

/// Programs that take a replica out of WAL mode.
@Suite struct JournalModeTests {
    struct Change: Case {
        let name: String
        let run: @Sendable (Device) throws -> Void

        init(_ name: String, _ run: @escaping @Sendable (Device) throws -> Void) { (self.name, self.run) = (name, run) }
    }

    static let all = [
        Change("sqlite-utils disable-wal") { try $0.sqliteUtils("disable-wal") },
        Change("the shell") { try $0.write("pragma journal_mode=delete") },
        Change("truncate") { try $0.write("pragma journal_mode=truncate") },
        Change("vacuum with a page size") { try $0.write("pragma journal_mode=delete; pragma page_size=8192; vacuum") },
        Change("vacuum with auto_vacuum") {
            try $0.write("pragma journal_mode=delete; pragma auto_vacuum=full; vacuum")
        },
        Change("a backup over the file") {
            try $0.python(
                """
                import os
                copy = sqlite3.connect(path + ".backup")
                db.backup(copy)
                copy.execute("pragma journal_mode=delete")
                copy.close()
                db.close()
                os.replace(path + ".backup", path)
                """)
        },
    ]

    @Test(arguments: all) func theNextSyncRestoresWALMode(_ change: Change) throws {
        try fact("theNextSyncRestoresWALMode", change.name) {
            let devices = try TwoDevices()
            try change.run(devices.first)
            try devices.first.write("insert into spending(content) values ('later')")
            try devices.expectAgreement()
            #expect(try devices.first.rows("pragma journal_mode") == ["wal"])
            try devices.expectBoth("select count(*) from spending", ["5"])
        }
    }

    /// A reader that stays open blocks neither status nor, once it has ended, the sync.
    @Test(arguments: all.prefix(2)) func anOpenReaderBlocksNoStatus(_ change: Change) throws {
        try fact("anOpenReaderBlocksNoStatus", change.name) {
            let devices = try TwoDevices()
            try change.run(devices.first)
            try devices.second.write("insert into spending(content) values ('later')")
            try devices.second.check("sync")
            let reader = try Reader(devices.first)
            for command in ["status", "sync", "status"] {
                let output = try devices.first.roost(command)
                #expect(!output.isSignalled && output.status != 124, "\(command): \(output)")
            }
            reader.end()
            try devices.expectAgreement()
        }
    }

    @Test(arguments: [all[0], all[3]]) func theDaemonGoesOnWithAnOpenReader(_ change: Change) throws {
        try fact("theDaemonGoesOnWithAnOpenReader", change.name) {
            let devices = try TwoDevices()
            try change.run(devices.first)
            let daemon = try RunningProgram(
                "roostd", [devices.first.path], log: devices.stage.folder.appending(path: "roostd.log"))
            #expect(try eventually { try devices.first.rows("pragma journal_mode") == ["wal"] })
            let reader = try Reader(devices.first)
            try devices.second.write("insert into spending(content) values ('later')")
            try devices.second.check("sync")
            #expect(try eventually { try devices.first.rows("select count(*) from spending") == ["5"] })
            #expect(try devices.first.roost("status").status == 0)
            reader.end()
            #expect(daemon.terminate() == 0)
            try devices.expectAgreement()
        }
    }
}

/// A program that holds a read transaction open.
final class Reader {
    private let program: RunningProgram

    init(_ device: Device) throws {
        let script = """
            import sqlite3, sys, time
            db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
            db.execute("begin")
            db.execute("select count(*) from person").fetchone()
            print("reading", flush=True)
            time.sleep(120)
            """
        program = try RunningProgram(
            Python.interpreter, ["-c", script, device.path], log: URL(filePath: device.path + ".reader"))
        let program = program
        _ = try eventually { program.log.contains("reading") }
    }

    func end() { program.kill() }
}
