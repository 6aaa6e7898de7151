internal import Foundation
internal import TestProcesses

/// A data folder that the earlier server wrote, opened by the later one: several devices, an open invite, purged records.
final class UpgradeServerFolder {
    private let programs: UpgradePrograms
    private let recorder: Recorder
    private let stage: Stage
    private var devices: [String] = []
    private var invite = ""
    private let backup: String
    private let image: FolderImage
    /// The rows and the digest that the earlier programs print before the later server opens the folder.
    private let rows: [String]
    private let digest: String

    /// - Parameter folder: A folder to make the fixture in and to keep; `nil` for a temporary one.
    init(_ programs: UpgradePrograms, _ recorder: Recorder, in folder: URL? = nil) throws {
        (self.programs, self.recorder) = (programs, recorder)
        stage = try Stage(programs.earlier, in: folder)
        backup = stage.path("earlier.sqlite")
        devices = [try stage.makeScope("r0.roost", schema: UpgradeSchema.first)]
        for number in 1...2 { devices.append(try stage.join(devices[0], as: "r\(number).roost")) }
        invite = try programs.earlier.check("roost", "invite", devices[0], "--uses", "100").lines.first ?? ""
        try Self.purge(stage, devices)
        try Self.write(UpgradeStatements.base, devices[0], stage)
        try Self.write(UpgradeStatements.others, devices[0], stage)
        for device in devices + devices { try programs.earlier.check("roost", "sync", device) }
        try programs.earlier.check("roost-server", "backup", "--data", stage.path("server"), "--to", backup)
        try Self.write("UPDATE person SET name = 'after the backup' WHERE id = \(id(5));", devices[1], stage)
        for device in devices + devices { try programs.earlier.check("roost", "sync", device) }
        rows = try ReplicaView.rows(of: devices[0])
        digest = try programs.earlier.check("roost", "digest", "--server", devices[0]).standard
        // After the kill, the later server finds a WAL.
        stage.server?.kill()
        image = try FolderImage(of: stage.folder)
    }

    /// The address at which the replicas reach the server.
    var address: String { stage.address }

    private var format: Int {
        get throws { try UpgradePrograms.format(of: stage.path("server/roost.sqlite")) }
    }

    // MARK: Building

    /// Writes records that were deleted 100 days ago, which a start of the server purges.
    private static func purge(_ stage: Stage, _ devices: [String]) throws {
        let dated = "UPDATE roost_control SET clock_offset = -100 * 86400000;"
        try write(
            """
            \(dated) BEGIN IMMEDIATE;
            INSERT INTO person(id, name) VALUES (\(id(801)), 'purged');
            INSERT INTO spending(id, content, person) VALUES (\(id(802)), 'purged with it', \(id(801)));
            DELETE FROM person WHERE id = \(id(801));
            COMMIT;
            """, devices[0], stage)
        for device in devices + devices { try stage.programs.check("roost", "sync", device) }
        _ = stage.server?.terminate()
        try stage.startServer()
        let isPurged = try eventually {
            try Programs.sql(stage.path("server/roost.sqlite"), "SELECT count(*) FROM purged").lines == ["2"]
        }
        guard isPurged else { throw SocketError(text: "the earlier server does not purge what is old") }
        for device in devices { try stage.programs.check("roost", "sync", device) }
    }

    private static func write(_ sql: String, _ file: String, _ stage: Stage) throws {
        let output = try Programs.run("sqlite3", ["-bail", "-cmd", ".timeout 30000", file], input: sql + "\n")
        guard output.status == 0 else { throw UnexpectedEnd(program: "sqlite3", output: output) }
    }

    // MARK: Checks

    /// - Returns: The number of deaths of the later server while it opened the folder.
    func run(step: Int) throws -> Int {
        try opens()
        try restoresEarlierBackup()
        try earlierServerComesBack()
        return try kills(step: step)
    }

    private func restore(for set: ProgramSet) throws {
        stage.server?.kill()
        try image.restore()
        stage.programs = set
    }

    private func opens() throws {
        try restore(for: programs.later)
        try stage.startServer()
        try compare("the later server")
        for (name, set) in [("e.roost", programs.earlier), ("l.roost", programs.later)] {
            let joined = try set.run("roost", ["join", invite, stage.path(name)])
            recorder.expect(joined.status == 0, "server: an invite of the earlier server is refused: \(joined)")
            let shown = try ReplicaView.rows(of: stage.path(name))
            recorder.expect(
                shown == rows, "server: a joining device shows other rows: \(UpgradeClosing.difference(shown, rows))")
        }
        try Self.write("INSERT INTO tag(id, label) VALUES (\(id(901)), 'new');", devices[2], stage)
        try synchronise("after the upgrade")
        let labels = try Programs.sql(devices[0], "SELECT label FROM tag WHERE id = \(id(901))").lines
        recorder.expect(labels == ["new"], "server: a write after the upgrade does not arrive")
    }

    private func restoresEarlierBackup() throws {
        try restore(for: programs.later)
        let output = try programs.later.run(
            "roost-server", ["restore", "--data", stage.path("server"), "--from", backup])
        recorder.expect(output.status == 0, "server: a backup of the earlier server is refused: \(output)")
        try stage.startServer()
        try synchronise("restored from the earlier backup")
        for device in devices {
            let shown = try ReplicaView.rows(of: device)
            recorder.expect(
                shown == rows,
                "server: restored from the earlier backup, a device shows \(UpgradeClosing.difference(shown, rows))")
        }
    }

    /// Starts the earlier server on a folder that the later one has opened: it serves the folder, or reports that it does not
    /// know the format.
    private func earlierServerComesBack() throws {
        try restore(for: programs.later)
        let before = try format
        try stage.startServer()
        _ = stage.server?.terminate()
        let isUpgrade = try format > before
        stage.programs = programs.earlier
        if isUpgrade {
            let output = try programs.earlier.run(
                "roost-server", ["serve", "--data", stage.path("server"), "--listen", "127.0.0.1:0"])
            recorder.expect(
                output.status == 74 && output.error.contains("format"),
                "server: the earlier server does not refuse an upgraded folder clearly: \(output)")
        } else {
            try stage.startServer()
            try compare("the earlier server again")
        }
    }

    private func kills(step: Int) throws -> Int {
        let folder = stage.folder.resolvingSymlinksInPath()
        let control = try FaultControl(in: folder, under: folder)
        var (points, call) = (0, 1)
        while !recorder.hasFailed {
            try restore(for: programs.later)
            try control.arm(call)
            do {
                try stage.startServer(environment: control.environment)
                _ = stage.server?.terminate()
            } catch is UnexpectedEnd {
                recorder.expect(control.faults > 0, "server: it does not start: \(stage.server?.log ?? "")")
            }
            guard control.faults > 0 else { break }
            if let met = control.met { recorder.fault("server killed before \(met.call)") }
            try control.arm(0)
            if stage.server?.isRunning == true { stage.server?.kill() }
            try stage.startServer()
            try compare("the server killed at call \(call) of its first start")
            points += 1
            call += step
        }
        return points
    }

    /// Checks that nothing on the server has changed, and every device of either age is up to date.
    private func compare(_ place: String) throws {
        let now = try programs.later.check("roost", "digest", "--server", devices[0]).standard
        recorder.expect(now == digest, "server, \(place): the digest has changed from \(digest) to \(now)")
        let purged = try Programs.sql(stage.path("server/roost.sqlite"), "PRAGMA integrity_check").lines
        recorder.expect(purged == ["ok"], "server, \(place): \(purged)")
        try synchronise(place)
        for device in devices {
            let shown = try ReplicaView.rows(of: device)
            recorder.expect(
                shown == rows, "server, \(place): a device shows \(UpgradeClosing.difference(shown, rows))")
        }
    }

    /// Synchronises the devices: the first one has the later programs, the others the earlier ones.
    private func synchronise(_ place: String) throws {
        for _ in 0..<2 {
            for (number, device) in devices.enumerated() {
                let set = number == 0 ? programs.later : programs.earlier
                let output = try set.run("roost", ["sync", device])
                recorder.expect(output.status == 0, "server, \(place): a sync fails: \(output)")
            }
        }
        let digests = try devices.enumerated().map { number, device in
            try (number == 0 ? programs.later : programs.earlier).check("roost", "digest", device).standard
        }
        recorder.expect(Set(digests).count == 1, "server, \(place): the digests differ: \(digests)")
    }
}
