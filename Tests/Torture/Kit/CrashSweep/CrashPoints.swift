internal import Foundation
internal import TestProcesses

/// All points of one scene and one kind of death, on a stage of their own.
final class CrashPoints {
    let scene: CrashScene
    let fault: FaultControl.Fault
    let counted: [FaultControl.Call]
    let recorder: Recorder
    let torture: TortureStage
    let control: FaultControl
    /// Pairs written so far, by each replica.
    private var written = [0, 0]
    /// The highest pair of each author that the server has acknowledged: kept here, outside every replica.
    private var acknowledged = [0, 0]

    /// - Parameter calls: Which calls count; all that change something if left out.
    init(
        _ scene: CrashScene, _ fault: FaultControl.Fault, counting calls: [FaultControl.Call]? = nil,
        _ recorder: Recorder
    ) throws {
        self.scene = scene
        counted = calls ?? (fault == .killHalfway ? FaultControl.Call.writing : FaultControl.Call.changing)
        self.fault = fault
        self.recorder = recorder
        torture = try TortureStage(recorder, replicas: 2)
        control = try FaultControl(in: torture.folder, under: torture.folder)
    }

    var first: String { torture.replicas[0] }
    var second: String { torture.replicas[1] }
    private func author(_ index: Int) -> String { "r\(index)" }

    /// - Parameter step: 1 for every call, more to leave some out.
    /// - Returns: How many points were met.
    func run(step: Int) throws -> Int {
        try prepare()
        var points = 0
        var call = 1
        while !recorder.hasFailed {
            let place = "\(scene.title), \(fault) call \(call)"
            guard try point(call, place) else { break }
            points += 1
            call += step
        }
        try torture.converge(at: "\(scene.title), \(fault), at the end")
        try checkAcknowledged(at: "\(scene.title), \(fault), at the end")
        return points
    }

    /// Records that every point finds: parents with children, on both sides.
    private func prepare() throws {
        try torture.sql(
            first,
            """
            \(dating)
            INSERT INTO parent(id, name) VALUES (\(id(1)), 'p1'), (\(id(2)), 'p2');
            INSERT INTO child(id, label, parent, friend) VALUES (\(id(11)), 'c1', \(id(1)), \(id(2))), (\(id(12)), 'c2', \(id(1)), NULL);
            """)
        for replica in torture.replicas { try torture.syncCleanly(replica, at: "preparing") }
    }

    /// - Returns: Whether the fault was met; `false` once a scene makes fewer calls.
    private func point(_ call: Int, _ place: String) throws -> Bool {
        switch scene {
        case .plainWrite, .libraryWrite: try writePoint(call, place)
        case .clientSync: try syncPoint(call, place)
        case .newReplica: try newReplicaPoint(call, place)
        case .serverPush: try serverPoint(call, place)
        case .serverStart: try startPoint(call, place)
        case .serverPurge: try purgePoint(call, place)
        case .serverFormat: try serverFormatPoint(call, place)
        case .replicaFormat: try replicaFormatPoint(call, place)
        case .migration: try migrationPoint(call, place)
        case .backup: try backupPoint(call, place)
        case .restore: try restorePoint(call, place)
        }
    }

    /// Whether the fault ends the process; else a call fails, and the process says what it makes of it.
    var isDeath: Bool { if case .error = fault { false } else { true } }

    /// I20: a program whose file calls fail ends by itself, with a status that is documented and a message.
    func check(_ output: Programs.Output, _ place: String) {
        guard !isDeath else { return }
        let statuses: [Int32] = scene == .plainWrite ? [0, 1] : [0, 65, 66, 69, 73, 74, 75, 77]
        recorder.expect(
            !output.isSignalled && statuses.contains(output.status),
            "\(place): I20: the refusal is not plain: \(output)")
    }

    // MARK: Points

    private func writePoint(_ call: Int, _ place: String) throws -> Bool {
        // The delete hides children by trigger; undelete brings them back through the library.
        if scene == .libraryWrite { try torture.sql(first, "DELETE FROM parent WHERE id = \(id(1));") }
        let number = written[0] + 1
        try control.arm(call, fault, counting: counted)
        let output: Programs.Output
        if scene == .plainWrite {
            output = try torture.sql(
                first, change(0, number) + "\nSELECT 'done';", environment: control.environment)
        } else {
            output = try Programs.run(
                "roost", ["undelete", first, "Parent", "00000000"], environment: control.environment)
        }
        let isMet = try disarm()
        if !isMet {
            recorder.expect(output.status == 0, "\(place): not met, and fails: \(output)")
        }
        check(output, place)
        let audit = try torture.audit(first, at: place)
        if scene == .plainWrite {
            let isThere = audit.pairs.contains(PairName(author: author(0), number: number))
            // What the shell said after its commit is the acknowledgement.
            recorder.expect(
                isThere || !output.standard.contains("done"), "\(place): I4: a transaction that was committed is gone")
            if isThere { note(0, number) }
        }
        try torture.syncCleanly(first, at: place)
        acknowledge(0)
        if scene == .libraryWrite {
            try Programs.run("roost", ["undelete", first, "Parent", "00000000"])
        }
        return isMet
    }

    private func syncPoint(_ call: Int, _ place: String) throws -> Bool {
        try write(0)
        try write(1)
        try torture.syncCleanly(second, at: place)
        acknowledge(1)
        try control.arm(call, fault, counting: counted)
        let output = try torture.sync(first, environment: control.environment)
        let isMet = try disarm()
        recorder.expect(isMet || output.status == 0, "\(place): not met, and fails: \(output)")
        check(output, place)
        try torture.audit(first, at: place)
        try torture.syncCleanly(first, at: place)
        acknowledge(0)
        try checkAcknowledged(at: place)
        return isMet
    }

    private func newReplicaPoint(_ call: Int, _ place: String) throws -> Bool {
        let path = torture.stage.path("new-\(call).roost")
        try control.arm(call, fault, counting: counted)
        let arguments = ["init", path, "--schema", torture.stage.path("schema.json")]
        let output = try Programs.run("roost", arguments, environment: control.environment)
        let isMet = try disarm()
        recorder.expect(isMet || output.status == 0, "\(place): not met, and fails: \(output)")
        check(output, place)
        // Either nothing that looks like a replica, and a plain message, or one that works.
        if FileManager.default.fileExists(atPath: path) {
            let status = try Programs.run("roost", ["status", path])
            if status.status == 0 {
                try torture.sql(path, change(0, 1))
                recorder.fail(ReplicaAudit.run(path, isSettled: false).failures, at: place)
            } else {
                recorder.expect(
                    status.status == 65 && status.error.hasPrefix("roost: Cannot open"),
                    "\(place): what is left of a new replica is not named: \(status)")
            }
        }
        for suffix in ["", "-wal", "-shm", "-journal", "-sync"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        return isMet
    }

    private func serverPoint(_ call: Int, _ place: String) throws -> Bool {
        try write(0)
        try restartServer(control.environment)
        try control.arm(call, fault, counting: counted)
        // A server whose disk is full asks to come back later: nobody waits for that here.
        try Programs.run("timeout", ["-s", "KILL", "2", Programs.url("roost").path, "sync", first])
        let isMet = try disarm()
        if isMet, isDeath { try waitForDeath(place) }
        if isMet, !isDeath {
            // The disk works again: the server goes on by itself.
            recorder.expect(torture.stage.server?.isRunning == true, "\(place): I20: the server ends")
            try torture.syncCleanly(first, at: "\(place), the same server")
        }
        // As it was left, and as the next server finds it.
        try torture.ensureServer()
        torture.auditServer(at: place)
        try torture.audit(first, at: place)
        try torture.syncCleanly(first, at: place)
        acknowledge(0)
        try checkAcknowledged(at: place)
        return isMet
    }

    private func startPoint(_ call: Int, _ place: String) throws -> Bool {
        try write(0)
        try torture.syncCleanly(first, at: place)
        acknowledge(0)
        // Killed, so that the next start finds a log.
        torture.stage.server?.kill()
        let isMet = try startUnderFault(call, place)
        try torture.ensureServer()
        try checkAcknowledged(at: place)
        return isMet
    }

    /// Starts the server with the fault and stops it.
    ///
    /// - Parameter isDone: What to wait for before it is stopped.
    /// - Returns: Whether the fault was met.
    func startUnderFault(_ call: Int, _ place: String, until isDone: () -> Bool = { true }) throws -> Bool {
        try control.arm(call, fault, counting: counted)
        do {
            try torture.stage.startServer(environment: control.environment)
            let isEnough = try eventually { torture.stage.server?.isRunning != true || isDone() }
            recorder.expect(isEnough, "\(place): the server does not do what it was started for")
            let status = torture.stage.server?.terminate() ?? 0
            recorder.expect(isDeath || [0, 74].contains(status), "\(place): I20: the server ends with \(status)")
        } catch let error as UnexpectedEnd {
            recorder.expect(control.faults > 0, "\(place): the server does not start")
            recorder.expect(
                isDeath || error.output.error.contains("roost-server: "),
                "\(place): I20: it ends without a word: \(error)")
        }
        return try disarm()
    }

    private func backupPoint(_ call: Int, _ place: String) throws -> Bool {
        try write(0)
        try torture.syncCleanly(first, at: place)
        acknowledge(0)
        let target = torture.stage.path("backup-\(call).sqlite")
        let arguments = ["backup", "--data", torture.stage.path("server"), "--to", target]
        try control.arm(call, fault, counting: counted)
        let output = try Programs.run("roost-server", arguments, environment: control.environment)
        let isMet = try disarm()
        recorder.expect(isMet || output.status == 0, "\(place): not met, and fails: \(output)")
        check(output, place)
        if !FileManager.default.fileExists(atPath: target) {
            // What the dead one left is in nobody's way.
            let again = try Programs.run("roost-server", arguments)
            recorder.expect(again.status == 0, "\(place): the next backup fails: \(again)")
        }
        try checkBackup(target, place)
        try torture.syncCleanly(first, at: place)
        return isMet
    }

    /// I28: what has the name of a backup is whole.
    private func checkBackup(_ path: String, _ place: String) throws {
        let audit = ServerAudit.run(path)
        recorder.fail(audit.failures, at: "\(place), the backup")
        for number in 1...max(1, acknowledged[0]) where acknowledged[0] > 0 {
            let name = PairName(author: author(0), number: number)
            recorder.expect(audit.pairs.contains(name), "\(place): I28: the backup lacks the acknowledged \(name)")
        }
        for suffix in ["", "-wal", "-shm", ".partial"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    private func restorePoint(_ call: Int, _ place: String) throws -> Bool {
        let backup = torture.stage.path("old.sqlite")
        let data = torture.stage.path("server")
        if !FileManager.default.fileExists(atPath: backup) {
            try Programs.check("roost-server", "backup", "--data", data, "--to", backup)
        }
        try write(0)
        try torture.syncCleanly(first, at: place)
        acknowledge(0)
        torture.stage.server?.kill()
        try control.arm(call, fault, counting: counted)
        let arguments = ["restore", "--data", data, "--from", backup]
        let output = try Programs.run("roost-server", arguments, environment: control.environment)
        let isMet = try disarm()
        recorder.expect(isMet || output.status == 0, "\(place): not met, and fails: \(output)")
        check(output, place)
        // The old data or the restored, and a server that starts on them; what is missing comes back.
        try torture.ensureServer()
        torture.auditServer(at: place)
        try torture.sync(first)
        try torture.syncCleanly(first, at: "\(place), brought back")
        try checkAcknowledged(at: "\(place), brought back")
        return isMet
    }

    private func restartServer(_ environment: [String: String]) throws {
        torture.stage.server?.kill()
        try control.arm(0)
        try torture.stage.startServer(environment: environment)
    }

    /// - Returns: Whether the fault was met. From now on nothing fails.
    func disarm() throws -> Bool {
        guard control.faults > 0 else { return false }
        if let met = control.met { recorder.fault("\(fault) \(met.call)") }
        try control.arm(0)
        return true
    }

    private func waitForDeath(_ place: String) throws {
        let isDead = try eventually(within: 10) { [torture] in torture.stage.server?.isRunning != true }
        recorder.expect(isDead, "\(place): the server lives on")
    }

    // MARK: Writing

    /// One transaction: a pair, an edited child, and a parent that comes or goes.
    private func change(_ index: Int, _ number: Int) -> String {
        let parent =
            number.isMultiple(of: 2)
            ? "INSERT OR REPLACE INTO parent(id, name) VALUES (\(id(1)), 'p\(number)');"
            : "DELETE FROM parent WHERE id = \(id(1));"
        return TortureScope.pair(author(index), number)
            .replacingOccurrences(
                of: "COMMIT;",
                with: "UPDATE child SET label = '\(author(index)) \(number)' WHERE id = \(id(12));\n\(parent)\nCOMMIT;")
    }

    func write(_ index: Int) throws {
        let number = written[index] + 1
        let output = try torture.sql(torture.replicas[index], dating + change(index, number))
        guard output.status == 0 else { throw UnexpectedEnd(program: "sqlite3", output: output) }
        note(index, number)
    }

    private func note(_ index: Int, _ number: Int) {
        written[index] = number
        recorder.count { $0.written += 4 }
    }

    func acknowledge(_ index: Int) {
        let new = written[index] - acknowledged[index]
        acknowledged[index] = written[index]
        recorder.count { $0.acknowledged += new * 4 }
    }

    /// I3: the server holds every pair that it acknowledged.
    func checkAcknowledged(at place: String) throws {
        let audit = torture.auditServer(at: place)
        for index in 0...1 where acknowledged[index] > 0 {
            for number in 1...acknowledged[index] {
                let name = PairName(author: author(index), number: number)
                recorder.expect(audit.pairs.contains(name), "\(place): I3: the acknowledged \(name) is lost")
            }
        }
    }
}
