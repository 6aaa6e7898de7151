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
        let scope = UpgradeDevices(
            devices: [(first, cast.replica), (second, cast.others)], recorder: recorder, name: "\(cast)")
        try scope.write(UpgradeStatements.base, to: first)
        for round in 1...Self.rounds {
            for index in 0...1 {
                try scope.write(Self.edits(round, device: index), to: scope.devices[index].file)
                // In every other round, both devices write before either synchronises.
                if round.isMultiple(of: 2) || index == 1 { try scope.sync() }
            }
        }
        try scope.sync()
        try scope.compare("at the end", rowsMin: 61)
        try live(stage, scope)
        return Self.rounds * 2
    }

    private static let rounds = 6

    /// Returns edits of shared records, deletes of every rule, and undeletes.
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

    /// Runs an earlier and a later daemon concurrently: a write on either side arrives on the other.
    private func live(_ stage: Stage, _ scope: UpgradeDevices) throws {
        let devices = scope.devices
        let daemons = try devices.enumerated().map { index, device in
            try RunningProgram(
                device.set.name("roostd"), [device.file], log: stage.folder.appending(path: "daemon-\(index).log"))
        }
        for index in 0...1 {
            let record = 900 + index
            try scope.write(
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
        try scope.sync()
        try scope.compare("live", rowsMin: 61)
    }
}
