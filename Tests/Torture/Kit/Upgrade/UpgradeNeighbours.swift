internal import Foundation
internal import TestProcesses

/// Programs that have a replica open while the later programs upgrade it, and earlier programs that open it afterwards.
///
/// If both ages write one file format, the earlier programs have to keep working.
struct UpgradeNeighbours {
    let programs: UpgradePrograms
    let recorder: Recorder
    /// Whether the later programs write a later file format.
    let isUpgrade: Bool

    func run() throws {
        let fixture = try UpgradeFixture(.pending, programs)
        for scene in [shellStaysOpen, daemonHasFileOpen, syncWaitsForReply, commandsComeLater, versionIsSetBack] {
            try fixture.restore(for: programs.later)
            do { try scene(fixture) } catch { recorder.fail("neighbours: \(error)") }
        }
    }

    // MARK: A program that has the file open

    /// Tests SQLite's shell, which writes before and after the upgrade on one connection: both writes are tracked.
    private func shellStaysOpen(_ fixture: UpgradeFixture) throws {
        let roost = Programs.url(programs.later.name("roost")).path
        try fixture.sql(
            fixture.replica,
            """
            INSERT INTO spending(id, content) VALUES (\(id(401)), 'before the upgrade');
            .shell \(roost) status \(fixture.replica) >\(fixture.replica).said
            INSERT INTO spending(id, content) VALUES (\(id(402)), 'after the upgrade');
            UPDATE spending SET amount = 3 WHERE id = \(id(123));
            DELETE FROM spending WHERE id = \(id(124));
            """)
        let said = try String(contentsOfFile: fixture.replica + ".said", encoding: .utf8)
        recorder.expect(said.contains("digest"), "shell: the replica is not upgraded while it is open: \(said)")
        try finish(fixture, "shell") { rows in
            let ours = rows.filter { row in [401, 402].contains { row.hasPrefix("spending X'\(Self.hex($0))'") } }
            recorder.expect(ours.count == 2, "shell: of two inserts around the upgrade, only \(ours) arrived")
            let edited = rows.first { $0.hasPrefix("spending X'\(Self.hex(123))'") } ?? ""
            recorder.expect(edited.contains(" 3 123.25 "), "shell: an edit after the upgrade is lost: \(edited)")
            let deleted = rows.first { $0.hasPrefix("spending X'\(Self.hex(124))'") }
            recorder.expect(deleted == nil, "shell: a delete after the upgrade is lost: \(deleted ?? "")")
        }
    }

    /// Tests an earlier daemon that keeps the replica synchronised while another program upgrades it.
    private func daemonHasFileOpen(_ fixture: UpgradeFixture) throws {
        try fixture.startServer()
        let log = fixture.stage.folder.appending(path: "daemon.log")
        let daemon = try RunningProgram(programs.earlier.name("roostd"), [fixture.replica], log: log)
        recorder.expect(
            try eventually { daemon.log.contains("up to date") }, "daemon: it does not synchronise: \(daemon.log)")
        try programs.later.check("roost", "status", fixture.replica)
        try fixture.sql(fixture.replica, "INSERT INTO spending(id, content) VALUES (\(id(403)), 'next to a daemon');")
        if isUpgrade {
            // The daemons of 7201974 stay, log the refusal with each attempt, and keep the lease of the file.
            let isRefused = try eventually(within: 30) { daemon.log.contains("Update Roost") }
            recorder.expect(isRefused, "daemon: an earlier daemon works on an upgraded file: \(daemon.log)")
            expectRefusal(daemon.log, "daemon")
            recorder.figure("an earlier daemon after the upgrade", daemon.isRunning ? "stays and tries again" : "ends")
        } else {
            recorder.expect(daemon.isRunning, "daemon: it ends though the format is the same: \(daemon.log)")
        }
        // Either the earlier daemon has exited, or the later program reports that another one synchronises the file.
        let sync = try programs.later.run("roost", ["sync", fixture.replica])
        recorder.expect([0, 75].contains(sync.status), "daemon: a later sync next to it fails: \(sync)")
        if daemon.isRunning {
            recorder.expect(daemon.terminate() == 0, "daemon: it ends with an error: \(daemon.log)")
        }
        try finish(fixture, "daemon") { rows in
            recorder.expect(
                rows.contains { $0.contains(Self.hex(403)) }, "daemon: a write next to an earlier daemon is lost")
        }
    }

    /// Tests an earlier `roost sync` that waits for an unresponsive server while another program upgrades the replica.
    private func syncWaitsForReply(_ fixture: UpgradeFixture) throws {
        try fixture.startServer()
        let server = fixture.stage.server?.identifier ?? 0
        kill(server, SIGSTOP)
        let log = fixture.stage.folder.appending(path: "sync.log")
        let sync = try RunningProgram(programs.earlier.name("roost"), ["sync", fixture.replica], log: log)
        let isSealed = try eventually {
            try Programs.sql(fixture.replica, "SELECT count(*) FROM roost_push").lines == ["1"]
        }
        recorder.expect(isSealed, "sync: it does not seal a push: \(sync.log)")
        try programs.later.check("roost", "status", fixture.replica)
        try fixture.sql(fixture.replica, "UPDATE spending SET content = 'during a sync' WHERE id = \(id(161));")
        kill(server, SIGCONT)
        let status = sync.wait()
        if isUpgrade {
            recorder.expect([65, 75].contains(status), "sync: it ends with \(status), expected 65: \(sync.log)")
            expectRefusal(sync.log, "sync")
        } else {
            recorder.expect([0, 75].contains(status), "sync: it ends with \(status): \(sync.log)")
        }
        try finish(fixture, "sync") { rows in
            recorder.expect(
                rows.contains { $0.contains("during a sync") }, "sync: an edit during an earlier sync is lost")
        }
    }

    // MARK: A program that comes later

    /// Runs every command of the earlier programs on an upgraded file.
    private func commandsComeLater(_ fixture: UpgradeFixture) throws {
        try fixture.startServer()
        let before = try ReplicaView(of: fixture.replica, by: programs.later)
        if isUpgrade {
            for (program, arguments) in commands(on: fixture) {
                let output = try Programs.run(
                    "timeout", ["20", Programs.url(programs.earlier.name(program)).path] + arguments)
                let name = "\(program) \(arguments.first ?? "")"
                recorder.expect(
                    output.status == 65, "later: \(name) ends with \(output.status), expected 65: \(output)")
                expectRefusal(output.error, "later: \(name)")
            }
            let after = try ReplicaView(of: fixture.replica, by: programs.later)
            recorder.fail(after.differences(from: before), at: "later: after refused commands")
        } else {
            let after = try ReplicaView(of: fixture.replica, by: programs.earlier)
            recorder.fail(after.differences(from: before), at: "later: the earlier programs see the same")
        }
        try finish(fixture, "later") { _ in }
    }

    private func commands(on fixture: UpgradeFixture) -> [(String, [String])] {
        let (file, person) = (fixture.replica, UpgradeClosing.identifier(2))
        return [
            ("roost", ["status", file]), ("roost", ["sync", file]), ("roost", ["check", file]),
            ("roost", ["repair", file]), ("roost", ["digest", file]), ("roost", ["journal", file]),
            ("roost", ["restore", file, "1"]), ("roost", ["undelete", file, "Person", person]),
            ("roost", ["log", file]),
            ("roost", ["fetch", file, "Person"]), ("roost", ["update", file, "Person", "--set", "name=x", "--all"]),
            ("roost", ["delete", file, "Spending", "--all"]),
            ("roost", ["migrate", file, fixture.stage.path("second.json")]), ("roost", ["invite", file]),
            ("roost", ["init", file, "--server", fixture.stage.address]), ("roostd", [file]),
            ("cekikapeye", ["status", "--group", file]),
        ]
    }

    /// Tests a program that keeps its own number in `user_version`, which makes an upgraded file look like an earlier one.
    private func versionIsSetBack(_ fixture: UpgradeFixture) throws {
        guard isUpgrade else { return }
        let before = try ReplicaView(of: fixture.replica, by: programs.later)
        for version in [5, 0] {
            try fixture.sql(fixture.replica, "PRAGMA user_version = \(version);")
            for command in ["status", "sync"] {
                let output = try programs.earlier.run("roost", [command, fixture.replica])
                recorder.expect(
                    output.status != 0 && output.error.hasPrefix("roost: "),
                    "user_version \(version): the earlier \(command) works on an upgraded file: \(output)")
            }
            let after = try ReplicaView(of: fixture.replica, by: programs.later)
            recorder.fail(after.differences(from: before), at: "user_version \(version)")
        }
        try finish(fixture, "user_version") { _ in }
    }

    // MARK: Checks

    /// Checks that the message of a program that does not know a file's format names the format, and what to do.
    private func expectRefusal(_ text: String, _ place: String) {
        recorder.expect(
            text.contains("format is") && text.contains("Update Roost"), "\(place): the message is not clear: \(text)")
    }

    /// Runs the fixture to its end with the later programs.
    private func finish(_ fixture: UpgradeFixture, _ place: String, _ check: ([String]) -> Void) throws {
        let cast = UpgradeClosing.Cast.all(programs.later)
        let closing = UpgradeClosing(
            fixture: fixture, cast: cast, recorder: recorder, place: place, extent: .synchronised)
        let outcome = try closing.run()
        check(outcome.synchronised)
    }

    private static func hex(_ number: Int) -> String {
        String(id(number).dropFirst(2).dropLast()).uppercased()
    }
}
