internal import Foundation
internal import TestProcesses

/// Earlier and later programs synchronise one scope, with plain SQL writes on both sides.
struct UpgradeExchange {
    let cast: UpgradeClosing.Cast
    let recorder: Recorder

    /// - Returns: The number of exchanges.
    func run() throws -> Int {
        let stage = try Stage(cast.server)
        stage.programs = cast.replica
        let first = try stage.makeScope("r0.roost", schema: UpgradeSchema.first)
        let link = try cast.replica.check("roost", "invite", first).lines.first ?? ""
        let second = stage.path("r1.roost")
        try cast.others.check("roost", "join", link, second)
        let devices = [(file: first, set: cast.replica), (file: second, set: cast.others)]
        try write(UpgradeStatements.base, to: first)
        for round in 1...Self.rounds {
            for index in 0...1 {
                try write(Self.edits(round, device: index), to: devices[index].file)
                // Every other time both write before either synchronises.
                if round.isMultiple(of: 2) || index == 1 { try sync(devices) }
            }
        }
        try sync(devices)
        try compare(devices, "\(cast)")
        try live(stage, devices)
        return Self.rounds * 2
    }

    private static let rounds = 6

    /// Edits of the same records on both sides, deletes of every rule, and what brings records back.
    private static func edits(_ round: Int, device: Int) -> String {
        let own = 600 + round * 10 + device
        let delete = [
            "DELETE FROM person WHERE id = \(id(2));", "DELETE FROM tag WHERE id = \(id(202));",
            "DELETE FROM folder WHERE id = \(id(301));", "DELETE FROM person WHERE id = \(id(6));",
            "INSERT OR REPLACE INTO person(id, name) VALUES (\(id(2)), 'back \(round)');",
            "INSERT OR REPLACE INTO folder(id, name) VALUES (\(id(301)), 'back \(round)');",
        ][(round + device * 3) % 6]
        return """
            BEGIN IMMEDIATE;
            INSERT INTO spending(id, content, amount, person, thanks) VALUES (\(id(own)), 'own \(own)', \(own), \(id(2)), \(id(6)));
            UPDATE spending SET content = 'round \(round) by \(device)', picture = randomblob(2000) WHERE id BETWEEN \(id(110)) AND \(id(113));
            UPDATE spending SET details = '{"round": \(round)}' WHERE id = \(id(115 + device));
            INSERT INTO spending_tags(source, target) VALUES (\(id(own)), \(id(201 + device)));
            INSERT OR REPLACE INTO folder(id, name, parent) VALUES (\(id(700 + own)), 'f', \(id(302)));
            DELETE FROM spending WHERE id = \(id(120 + round));
            COMMIT;
            \(delete)
            """
    }

    /// Daemons of both ages side by side: a write on either side arrives on the other.
    private func live(_ stage: Stage, _ devices: [(file: String, set: ProgramSet)]) throws {
        let daemons = try devices.enumerated().map { index, device in
            try RunningProgram(
                device.set.name("roostd"), [device.file], log: stage.folder.appending(path: "daemon-\(index).log"))
        }
        for index in 0...1 {
            let record = 900 + index
            try write(
                "INSERT INTO spending(id, content) VALUES (\(id(record)), 'live');", to: devices[index].file)
            let other = devices[1 - index].file
            let hasArrived = try eventually(within: 30) {
                try Programs.sql(other, "SELECT count(*) FROM spending WHERE id = \(id(record))").lines == ["1"]
            }
            recorder.expect(hasArrived, "\(cast): a live write does not arrive: \(daemons.map(\.log))")
        }
        for daemon in daemons {
            recorder.expect(daemon.terminate() == 0, "\(cast): a daemon ends with an error: \(daemon.log)")
        }
        try sync(devices)
        try compare(devices, "\(cast), live")
    }

    private func write(_ sql: String, to file: String) throws {
        let output = try Programs.run("sqlite3", ["-bail", "-cmd", ".timeout 30000", file], input: sql + "\n")
        guard output.status == 0 else { throw UnexpectedEnd(program: "sqlite3", output: output) }
    }

    private func sync(_ devices: [(file: String, set: ProgramSet)]) throws {
        for device in devices + devices {
            let output = try device.set.run("roost", ["sync", device.file])
            recorder.expect(output.status == 0, "\(cast): a sync fails: \(output)")
        }
    }

    private func compare(_ devices: [(file: String, set: ProgramSet)], _ place: String) throws {
        let rows = try devices.map { try ReplicaView.rows(of: $0.file) }
        recorder.expect(
            rows[0] == rows[1], "\(place): the devices show \(UpgradeClosing.difference(rows[0], rows[1]))")
        recorder.expect(rows[0].count > 60, "\(place): only \(rows[0].count) rows are left")
        let digests = try devices.map { try $0.set.check("roost", "digest", $0.file).standard }
        let server = try devices.map { try $0.set.check("roost", "digest", "--server", $0.file).standard }
        recorder.expect(
            Set(digests + server).count == 1, "\(place): the digests are \(digests), the server's \(server)")
        for device in devices {
            let check = try device.set.run("roost", ["check", device.file])
            recorder.expect(check.status == 0, "\(place): a replica is not sound: \(check)")
        }
    }
}
