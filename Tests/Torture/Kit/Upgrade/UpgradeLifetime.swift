internal import Foundation
internal import TestProcesses

/// Rare events in the life of a scope, with clients and a server of two ages: another token, a copied file, a server restored
/// from a backup, a device that loses its access, and a purge.
struct UpgradeLifetime {
    let cast: UpgradeClosing.Cast
    let recorder: Recorder

    /// - Returns: The number of exchanges.
    func run() throws -> Int {
        let stage = try Stage(cast.server)
        var scope = try makeScope(stage)
        try scope.write(UpgradeStatements.base, to: scope.devices[0].file)
        try scope.sync()
        try replaceTokens(scope)
        try copyFile(stage, &scope)
        try putServerBack(stage, scope)
        try revoke(stage, scope)
        return 4 + (try purge())
    }

    private func makeScope(_ stage: Stage) throws -> UpgradeDevices {
        stage.programs = cast.replica
        let first = try stage.makeScope("r0.roost", schema: UpgradeSchema.first)
        let second = try join(first, stage.path("r1.roost"), as: "second", cast.others)
        stage.programs = cast.server
        return UpgradeDevices(
            devices: [(first, cast.replica), (second, cast.others)], recorder: recorder, name: "\(cast)")
    }

    private func join(_ first: String, _ file: String, as name: String, _ set: ProgramSet) throws -> String {
        let link = try cast.replica.check("roost", "invite", first).lines.first ?? ""
        try set.check("roost", "join", link, file, "--device", name)
        return file
    }

    // MARK: Identity

    /// Rotates tokens. Later clients propose their next token; a server of either age answers with a working one.
    private func replaceTokens(_ scope: UpgradeDevices) throws {
        for device in scope.devices where device.set.title != "earlier" {
            try scope.write("UPDATE person SET name = 'before a new token' WHERE id = \(id(9));", to: device.file)
            for _ in 0..<2 {
                let output = try device.set.run("roost", ["token", "rotate", device.file])
                recorder.expect(output.status == 0, "\(cast): the token is not replaced: \(output)")
            }
        }
        try scope.sync()
        try scope.compare("after new tokens", rowsMin: 60)
    }

    /// Copies each file to another device: both continue, and neither loses its writes.
    private func copyFile(_ stage: Stage, _ scope: inout UpgradeDevices) throws {
        for (index, device) in scope.devices.enumerated() {
            let copy = stage.path("copy-\(index).roost")
            for suffix in ["", "-wal", "-token"] where FileManager.default.fileExists(atPath: device.file + suffix) {
                try FileManager.default.copyItem(atPath: device.file + suffix, toPath: copy + suffix)
            }
            for (file, record) in [(device.file, 710 + index), (copy, 720 + index)] {
                let sql = "INSERT INTO spending(id, content) VALUES (\(id(record)), 'of a copy');"
                try scope.write(sql, to: file)
            }
            scope.devices.append((copy, device.set))
        }
        try scope.sync()
        for device in scope.devices {
            let count = try Programs.sql(device.file, "SELECT count(*) FROM spending WHERE content = 'of a copy'")
            recorder.expect(count.lines == ["4"], "\(cast): of four writes to files and copies, \(count.lines) arrived")
        }
        try scope.compare("after copies", rowsMin: 60)
    }

    // MARK: The server

    /// Restores the server: the devices bring back the changes acknowledged after the backup.
    private func putServerBack(_ stage: Stage, _ scope: UpgradeDevices) throws {
        let (data, backup) = (stage.path("server"), stage.path("backup.sqlite"))
        try cast.server.check("roost-server", "backup", "--data", data, "--to", backup)
        for (index, device) in scope.devices.enumerated() {
            try scope.write(
                "UPDATE spending SET content = 'after the backup' WHERE id = \(id(110 + index));", to: device.file)
        }
        try scope.write("DELETE FROM person WHERE id = \(id(2));", to: scope.devices[0].file)
        try scope.sync()
        let before = try ReplicaView.rows(of: scope.devices[0].file)
        recorder.expect(
            stage.server?.terminate() == 0, "\(cast): the server ends with an error: \(stage.server?.log ?? "")")
        try cast.server.check("roost-server", "restore", "--data", data, "--from", backup)
        try stage.startServer()
        try scope.sync()
        try scope.compare("after a restore", rowsMin: 50)
        let after = try ReplicaView.rows(of: scope.devices[0].file)
        let difference = UpgradeClosing.difference(before, after)
        recorder.expect(before == after, "\(cast): after a restore the rows are others: \(difference)")
    }

    /// Revokes a device's access: the device is notified, and keeps its file.
    private func revoke(_ stage: Stage, _ scope: UpgradeDevices) throws {
        guard cast.replica.title != "earlier" else { return }
        let first = scope.devices[0].file
        let third = try join(first, stage.path("r2.roost"), as: "third", cast.others)
        try cast.others.check("roost", "sync", third)
        try cast.replica.check("roost", "revoke", first, "third")
        try scope.write("INSERT INTO person(id, name) VALUES (\(id(799)), 'refused');", to: third)
        let output = try cast.others.run("roost", ["sync", third])
        recorder.expect(output.status == 77, "\(cast): a revoked device's sync ends so: \(output)")
        let kept = try Programs.sql(third, "SELECT name FROM person WHERE id = \(id(799))")
        recorder.expect(kept.lines == ["refused"], "\(cast): a revoked device loses its write: \(kept)")
        try scope.sync()
        try scope.compare("after a revocation", rowsMin: 50)
    }

    // MARK: Purging

    /// Tests a purge in a separate scope with old writes only, since the stamps of a replica rise.
    ///
    /// - Returns: The number of exchanges.
    private func purge() throws -> Int {
        let stage = try Stage(cast.server)
        var scope = try makeScope(stage)
        scope = UpgradeDevices(devices: scope.devices, recorder: recorder, name: "\(cast), purge")
        let first = scope.devices[0].file
        try scope.write(Self.dated(UpgradeStatements.base), to: first)
        try scope.sync()
        // Each side deletes a parent, together with its cascade children.
        try scope.write(Self.dated("DELETE FROM person WHERE id = \(id(2));"), to: first)
        try scope.write(Self.dated("DELETE FROM folder WHERE id = \(id(301));"), to: scope.devices[1].file)
        try scope.sync()
        try scope.sync()
        let before = try ReplicaView.rows(of: first)
        recorder.expect(stage.server?.terminate() == 0, "\(cast): the server does not end")
        try stage.startServer()
        let isPurged = try eventually(within: 60) { stage.server?.log.contains("purged records") ?? false }
        recorder.expect(isPurged, "\(cast): the server purges nothing: \(stage.server?.log ?? "")")
        // Written before the identifiers of the purged records arrive: an edit of a record that was not purged, and a new
        // record.
        try scope.write(
            """
            UPDATE spending SET amount = 1 WHERE id = \(id(112));
            INSERT INTO spending(id, content) VALUES (\(id(801)), 'after the purge');
            """, to: scope.devices[1].file)
        try scope.sync()
        try scope.compare("after a purge", rowsMin: 40)
        for device in scope.devices {
            let left = try Programs.sql(
                device.file, "SELECT count(*) FROM roost_fact WHERE id IN (\(id(2)), \(id(301)), \(id(302)))")
            recorder.expect(left.lines == ["0"], "\(cast): a replica still has what was purged: \(left.lines)")
        }
        let after = try ReplicaView.rows(of: first)
        recorder.expect(
            Set(before).subtracting(after).count <= 1 && after.count == before.count + 1,
            "\(cast): a purge changes what is visible: \(UpgradeClosing.difference(before, after))")
        // A device that joins later gets the identifiers too.
        let third = try join(first, stage.path("r2.roost"), as: "third", cast.others)
        scope.devices.append((third, cast.others))
        try scope.sync()
        try scope.compare("joined after a purge", rowsMin: 40)
        return 2
    }

    private static func dated(_ sql: String) -> String {
        "UPDATE roost_control SET clock_offset = -100 * 86400000;\n\(sql)"
    }
}
