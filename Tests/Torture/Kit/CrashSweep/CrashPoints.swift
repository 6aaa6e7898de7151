internal import Foundation
internal import TestProcesses

/// All points of one scene and one fault, on a stage of their own.
final class CrashPoints {
    let scene: CrashScene
    let fault: FaultControl.Fault
    let counted: [FaultControl.Call]
    let recorder: Recorder
    let torture: TortureStage
    let control: FaultControl
    /// The number of pushes that were in flight at a point, and of those that the server had stored.
    var underWay = PushUnderWay.Counts()
    /// Files with a failed sync at this point that no later sync has repaired.
    var unsynced: [String] = []
    /// The number of pairs written so far, by replica.
    private var written = [0, 0]
    /// The highest pair of each author that the server has acknowledged, kept outside of every replica.
    private(set) var acknowledged = [0, 0]

    /// - Parameter calls: The calls that count; `nil` for all that change something.
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
    func author(_ index: Int) -> String { "r\(index)" }

    /// Runs all points.
    ///
    /// - Parameter step: 1 for every call, more to leave some out.
    /// - Returns: The number of points that were met.
    func run(step: Int) throws -> Int {
        try prepare()
        var points = 0
        var call = 1
        var missed = 0
        // The number of calls in a scene varies slightly between runs, with the content of the WAL.
        while missed < (step == 1 && counted.count > 2 ? 5 : 1), !recorder.hasFailed {
            let isMet = try point(call, "\(scene.title), \(fault) call \(call)")
            points += isMet ? 1 : 0
            missed = isMet ? 0 : missed + 1
            call += step
        }
        try torture.converge(at: "\(scene.title), \(fault), at the end")
        try checkAcknowledged(at: "\(scene.title), \(fault), at the end")
        try torture.countOutcomes()
        return points
    }

    /// Writes the records that every point finds: parents with children, on both sides.
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

    /// - Returns: Whether the fault was met; `false` if the scene makes fewer calls.
    private func point(_ call: Int, _ place: String) throws -> Bool {
        switch scene {
        case .plainWrite: try plainWritePoint(call, place)
        case .libraryWrite: try libraryWritePoint(call, place)
        case .clientSync: try syncPoint(call, place)
        case .newReplica: try newReplicaPoint(call, place)
        case .join: try joinPoint(call, place)
        case .serverPush: try serverPoint(call, place)
        case .serverStart: try startPoint(call, place)
        case .serverPurge: try purgePoint(call, place)
        case .clientPurge: try clientPurgePoint(call, place)
        case .serverFormat: try serverFormatPoint(call, place)
        case .replicaFormat: try replicaFormatPoint(call, place)
        case .migration: try migrationPoint(call, place)
        case .backup: try backupPoint(call, place)
        case .restore: try restorePoint(call, place)
        case .tokenRotation: try rotationPoint(call, place)
        case .renewal: try renewalPoint(call, place)
        case .rejoin: try rejoinPoint(call, place)
        }
    }

    /// Ends the fault: from now on no call fails.
    ///
    /// - Returns: Whether the fault was met.
    func disarm() throws -> Bool {
        unsynced = control.unsynced
        guard control.faults > 0 else { return false }
        if let met = control.met { recorder.fault("\(fault) \(met.call)") }
        try control.arm(0)
        return true
    }

    // MARK: Client points

    private func plainWritePoint(_ call: Int, _ place: String) throws -> Bool {
        let number = written[0] + 1
        try control.arm(call, fault, counting: counted)
        let output = try torture.sql(
            first, change(0, number) + "\nSELECT 'done';", environment: control.environment)
        let isMet = try disarm()
        check(output, isMet, place)
        let isThere = try torture.audit(first, at: place).pairs.contains(
            PairName(author: author(0), number: number))
        // The shell's output after its commit is the acknowledgement.
        recorder.expect(
            isThere || !(output.standard.contains("done") || output.status == 0),
            "\(place): I4: a transaction that was committed is gone: \(output)")
        if isThere { note(0, number) }
        try torture.syncCleanly(first, at: place)
        acknowledge(0)
        return isMet
    }

    private func libraryWritePoint(_ call: Int, _ place: String) throws -> Bool {
        // The delete hides children by trigger; undelete restores them through the library.
        try torture.sql(first, "DELETE FROM parent WHERE id = \(id(1));")
        try control.arm(call, fault, counting: counted)
        let arguments = ["undelete", first, "Parent", "00000000"]
        let output = try Programs.run("roost", arguments, environment: control.environment)
        let isMet = try disarm()
        check(output, isMet, place)
        try torture.audit(first, at: place)
        let shown = try torture.sql(
            first,
            "SELECT (SELECT count(*) FROM parent WHERE id = \(id(1))) + (SELECT count(*) FROM child WHERE parent = \(id(1)));"
        ).lines
        // The program's output after its commit is the acknowledgement.
        recorder.expect(
            shown == ["3"] || !(output.standard.contains("Undeleted") || output.status == 0),
            "\(place): I4: of a parent and two children that were undeleted, \(shown) are there: \(output)")
        recorder.expect(
            shown == ["3"] || shown == ["0"], "\(place): I7: of a parent and two children, \(shown) are there")
        try torture.syncCleanly(first, at: place)
        try Programs.run("roost", arguments)
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
        check(output, isMet, place)
        if output.status == 0 { try checkUpToDate(at: "\(place), status 0") }
        let left = try pushUnderWay()
        try torture.audit(first, at: place)
        try torture.syncCleanly(first, at: place)
        try checkRepeated(left, place)
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
        check(output, isMet, place)
        // Either no file that looks like a replica exists, and a clear message was printed, or a working one does.
        let status = try Programs.run("roost", ["status", path])
        if status.status == 0 {
            try torture.sql(path, change(0, 1))
            recorder.fail(ReplicaAudit.run(path, isSettled: false).failures, at: place)
        } else {
            recorder.expect(output.status != 0, "\(place): a replica that was made does not open: \(status)")
            recorder.expect(
                [65, 66].contains(status.status) && status.error.hasPrefix("roost: Cannot open"),
                "\(place): what is left of a new replica is not named: \(status)")
        }
        removeReplica(path)
        return isMet
    }

    /// Tests that a repeated join completes the file until it belongs to the scope. From then on it synchronises.
    private func joinPoint(_ call: Int, _ place: String) throws -> Bool {
        let path = torture.stage.path("joined-\(call).roost")
        try torture.ensureServer()
        let link = try Programs.check("roost", "invite", first).lines[0]
        let arguments = ["join", link, path, "--device", "device \(call)"]
        try control.arm(call, fault, counting: counted)
        let output = try Programs.run("roost", arguments, environment: control.environment)
        let isMet = try disarm()
        check(output, isMet, place)
        let isDone =
            FileManager.default.fileExists(atPath: path)
            && !FileManager.default.fileExists(atPath: path + "-joining")
        if !isDone {
            let again = try Programs.run("roost", arguments)
            recorder.expect(again.status == 0, "\(place): the same join again does not do it: \(again)")
        }
        try torture.syncCleanly(path, at: place)
        // A scope is limited to 64 devices.
        try Programs.check("roost", "revoke", first, "device \(call)")
        removeReplica(path)
        return isMet
    }

    func removeReplica(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal", "-sync", "-token", "-joining"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    // MARK: Writing

    /// Makes one transaction: a pair, an edited child, and a parent that is inserted or deleted.
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

    /// The last pair of each author that has written.
    var lastPairs: [PairName] {
        (0...1).filter { written[$0] > 0 }.map { PairName(author: author($0), number: written[$0]) }
    }
}
