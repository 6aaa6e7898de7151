internal import Foundation
internal import TestProcesses

/// Replicas of one scope, each with the programs that open it, and their common checks.
struct UpgradeDevices {
    typealias Device = (file: String, set: ProgramSet)

    var devices: [Device]
    let recorder: Recorder
    /// Context for the report of a failure.
    let name: String

    /// Writes with SQLite's shell, as any program would.
    func write(_ sql: String, to file: String) throws {
        let output = try Programs.run("sqlite3", ["-bail", "-cmd", ".timeout 30000", file], input: sql + "\n")
        guard output.status == 0 else { throw UnexpectedEnd(program: "sqlite3", output: output) }
    }

    /// Synchronises all devices twice: each pulls the pushes of those after it.
    func sync() throws {
        for device in devices + devices {
            let output = try device.set.run("roost", ["sync", device.file])
            recorder.expect(output.status == 0, "\(name): a sync fails: \(output)")
        }
    }

    /// Checks that all devices show equal rows, have the server's digest, and are intact.
    func compare(_ place: String, rowsMin: Int) throws {
        let rows = try devices.map { try ReplicaView.rows(of: $0.file) }
        for other in rows.dropFirst() where other != rows[0] {
            recorder.fail("\(name), \(place): the devices show \(UpgradeClosing.difference(rows[0], other))")
        }
        recorder.expect(rows[0].count >= rowsMin, "\(name), \(place): only \(rows[0].count) rows are left")
        let digests = try devices.map { try $0.set.check("roost", "digest", $0.file).standard }
        let server = try devices.map { try $0.set.check("roost", "digest", "--server", $0.file).standard }
        recorder.expect(
            Set(digests + server).count == 1, "\(name), \(place): the digests are \(digests), the server's \(server)")
        for device in devices {
            let check = try device.set.run("roost", ["check", device.file])
            recorder.expect(check.status == 0, "\(name), \(place): a replica is not sound: \(check)")
            let status = try device.set.check("roost", "status", "--json", device.file).standard
            recorder.expect(
                status.contains("\"waiting\":0,"), "\(name), \(place): changes are pending: \(status)")
        }
    }
}
