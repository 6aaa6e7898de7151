internal import RoostModel
internal import TestProcesses

/// Crashes while the server purges.
extension CrashPoints {
    /// The statement before each write. In the scenes with a purge, all writes are made long ago, since the stamps of a
    /// replica only rise.
    var dating: String {
        [.serverPurge, .clientPurge].contains(scene) ? "UPDATE roost_control SET clock_offset = -100 * 86400000;" : ""
    }

    /// I18: purged records were invisible. The next start purges what the crash left, and no purged record comes back.
    func purgePoint(_ call: Int, _ place: String) throws -> Bool {
        let old = try writeLongAgo(call, place)
        let before = try torture.view(first)
        // The server ends in order, since it keeps the progress of each replica's pulls in memory.
        _ = torture.stage.server?.terminate()
        let isMet = try startUnderFault(call, place) { [torture] in
            let log = torture.stage.server?.log ?? ""
            return log.contains("purged records") || Self.saysPurgeFailed(log)
        }
        try auditLeftServer(at: place)
        try startUntilPurged(old, place)
        try synchroniseTwice(place)
        for replica in torture.replicas {
            recorder.expect(try torture.view(replica) == before, "\(place): I18: the purge changes what is visible")
        }
        try checkPurged(old, place)
        try checkAcknowledged(at: place)
        return isMet
    }

    /// I18: a replica crashes while it applies a page with the identifiers of purged records, with changes on both sides. It
    /// has all of the page or nothing, the next synchronisation completes it, and no purged record comes back.
    func clientPurgePoint(_ call: Int, _ place: String) throws -> Bool {
        let old = try writeLongAgo(call, place)
        _ = torture.stage.server?.terminate()
        try startUntilPurged(old, place)
        // This differs from a synchronisation without a purge: a push may name a purged parent, and is resent without it.
        try write(1)
        try torture.syncCleanly(second, at: place)
        acknowledge(1)
        try write(0)
        try control.arm(call, fault, counting: counted)
        let output = try torture.sync(first, environment: control.environment)
        let isMet = try disarm()
        check(output, isMet, place)
        if output.status == 0 { try checkUpToDate(at: "\(place), status 0") }
        try torture.audit(first, at: place)
        try synchroniseTwice(place)
        acknowledge(0)
        try checkPurged(old, place)
        try checkAcknowledged(at: place)
        return isMet
    }

    private func startUntilPurged(_ old: [RecordKey], _ place: String) throws {
        try torture.ensureServer()
        let isPurged = try eventually { [torture] in
            let records = ServerAudit.run(torture.serverFile).records
            return old.allSatisfy { records[$0] == nil }
        }
        recorder.expect(isPurged, "\(place): I18: the next start does not purge what is old")
    }

    private func checkPurged(_ old: [RecordKey], _ place: String) throws {
        let ids = old.map { "x'\($0.id.hex)'" }.joined(separator: ", ")
        for replica in torture.replicas {
            let left = try torture.sql(replica, "SELECT count(*) FROM roost_fact WHERE id IN (\(ids));")
            recorder.expect(left.lines == ["0"], "\(place): I18: a replica still has what was purged")
        }
        let records = torture.auditServer(at: place).records
        recorder.expect(old.allSatisfy { records[$0] == nil }, "\(place): I18: what was purged has come back")
    }

    /// Returns whether a server with a failing disk reports that it continues without a purge. It tries again after an hour.
    static func saysPurgeFailed(_ log: String) -> Bool {
        log.contains("could not be purged") || log.contains("could not purge")
    }

    /// Writes a parent that is deleted with a child below it, and another child that refers to it and stays; all older than
    /// the server's horizon.
    ///
    /// - Returns: The records to be purged, known to every replica.
    private func writeLongAgo(_ call: Int, _ place: String) throws -> [RecordKey] {
        let parent = 10_000 + 10 * call
        try write(0)
        try torture.sql(
            first,
            """
            \(dating)
            BEGIN IMMEDIATE;
            INSERT INTO parent(id, name) VALUES (\(id(parent)), 'old');
            INSERT INTO child(id, label, parent) VALUES (\(id(parent + 1)), 'goes', \(id(parent)));
            INSERT INTO child(id, label, friend) VALUES (\(id(parent + 2)), 'stays', \(id(parent)));
            DELETE FROM parent WHERE id = \(id(parent));
            COMMIT;
            """)
        try synchroniseTwice(place)
        acknowledge(0)
        return [
            RecordKey(entity: EntityID(3), id: RecordID(high: 0, low: UInt64(parent))),
            RecordKey(entity: EntityID(4), id: RecordID(high: 0, low: UInt64(parent + 1))),
        ]
    }

    /// Synchronises twice: the second time tells the server the progress of each replica.
    private func synchroniseTwice(_ place: String) throws {
        for _ in 0..<2 {
            for replica in torture.replicas { try torture.syncCleanly(replica, at: place) }
        }
    }
}

extension RecordID {
    fileprivate var hex: String { Hex.encode(bytes) }
}
