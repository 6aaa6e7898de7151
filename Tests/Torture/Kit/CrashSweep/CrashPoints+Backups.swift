internal import Foundation
internal import TestProcesses

/// Crashes while a backup is made or restored.
extension CrashPoints {
    func backupPoint(_ call: Int, _ place: String) throws -> Bool {
        try write(0)
        try torture.syncCleanly(first, at: place)
        acknowledge(0)
        let target = torture.stage.path("backup-\(call).sqlite")
        let arguments = ["backup", "--data", torture.stage.path("server"), "--to", target]
        try control.arm(call, fault, counting: counted)
        let output = try Programs.run("roost-server", arguments, environment: control.environment)
        let isMet = try disarm()
        check(output, isMet, place)
        if !FileManager.default.fileExists(atPath: target) {
            recorder.expect(output.status != 0, "\(place): I28: there is no backup: \(output)")
            // The files that the killed program left must not block the next backup.
            let again = try Programs.run("roost-server", arguments)
            recorder.expect(again.status == 0, "\(place): the next backup fails: \(again)")
        }
        try checkBackup(target, place)
        try torture.syncCleanly(first, at: place)
        return isMet
    }

    /// I28: a file with the name of a backup is complete.
    private func checkBackup(_ path: String, _ place: String) throws {
        let audit = ServerAudit.run(path)
        recorder.fail(audit.failures, at: "\(place), the backup")
        for number in 1...max(1, acknowledged[0]) where acknowledged[0] > 0 {
            let name = PairName(author: author(0), number: number)
            recorder.expect(audit.pairs.contains(name), "\(place): I28: the backup lacks the acknowledged \(name)")
        }
        for suffix in ["", "-wal", "-shm", ".partial"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    func restorePoint(_ call: Int, _ place: String) throws -> Bool {
        let backup = torture.stage.path("old.sqlite")
        let data = torture.stage.path("server")
        if !FileManager.default.fileExists(atPath: backup) {
            try write(0)
            try torture.syncCleanly(first, at: place)
            try Programs.check("roost-server", "backup", "--data", data, "--to", backup)
        }
        let epoch = try epoch()
        try write(0)
        try torture.syncCleanly(first, at: place)
        acknowledge(0)
        torture.stage.server?.kill()
        try control.arm(call, fault, counting: counted)
        let arguments = ["restore", "--data", data, "--from", backup]
        let output = try Programs.run("roost-server", arguments, environment: control.environment)
        let isMet = try disarm()
        check(output, isMet, place)
        // The server has the old or the restored data, complete, and starts on it. The devices bring back what is missing.
        let left = ServerAudit.run(try torture.copy(torture.serverFile))
        recorder.fail(left.failures, at: "\(place), as it was left")
        try torture.ensureServer()
        torture.auditServer(at: place)
        try torture.sync(first)
        try torture.syncCleanly(first, at: "\(place), brought back")
        try checkAcknowledged(at: "\(place), brought back")
        // The replica takes a new identity with its next push. A server restored to before that would not know it any more.
        if try self.epoch() != epoch { try FileManager.default.removeItem(atPath: backup) }
        return isMet
    }

    private func epoch() throws -> [String] {
        try torture.sql(torture.serverFile, "SELECT epoch FROM scope;").lines
    }
}
