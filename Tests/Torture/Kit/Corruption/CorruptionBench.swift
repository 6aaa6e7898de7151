internal import Foundation
internal import RoostModel
internal import TestProcesses

/// A replica with confirmed and pending records, and a server, both restored to their initial state before each corruption.
final class CorruptionBench {
    private let recorder: Recorder
    private let torture: TortureStage
    /// The replica's files with the pending changes still in the WAL.
    private let logged: FileImage
    /// The replica's files after a checkpoint of the WAL, with the pending changes in the database.
    private let settled: FileImage
    private let server: FileImage
    /// The content hash of each record as it was written.
    private let truth: [RecordKey: ContentHash]
    private let waiting: Set<RecordKey>

    init(_ recorder: Recorder) throws {
        self.recorder = recorder
        torture = try TortureStage(recorder, replicas: 2)
        let path = torture.replicas[0]
        try torture.sql(path, Self.confirmed)
        for replica in torture.replicas { try torture.syncCleanly(replica, at: "preparing") }
        // Contents were last checked 8 days ago, so that the next sync checks them again.
        try torture.sql(path, "UPDATE roost_control SET scrubbed = scrubbed - 8 * 86400000;")
        // The kill leaves the pending changes in the WAL.
        try torture.sql(path, Self.later + "\n.shell kill -9 $PPID")
        torture.stage.server?.kill()
        logged = try FileImage(of: path)
        server = try FileImage(of: torture.serverFile)
        guard logged.hasLog else { throw SocketError(text: "the replica has no log to damage") }
        let copy = torture.stage.path("look.roost")
        try logged.restore(to: copy)
        let audit = ReplicaAudit.run(copy, isSettled: false)
        truth = audit.contents
        waiting = audit.pendingKeys
        recorder.fail(audit.failures, at: "preparing")
        try logged.restore()
        try torture.sql(path, "PRAGMA wal_checkpoint(TRUNCATE);")
        settled = try FileImage(of: path)
        recorder.count {
            $0.written += truth.count
            $0.acknowledged += truth.count - waiting.count
        }
    }

    private var path: String { torture.replicas[0] }

    private static var confirmed: String {
        (1...120).map { TortureScope.pair("old", $0) }.joined(separator: "\n")
            + (1...40).map { "INSERT INTO parent(id, name) VALUES (\(id($0)), 'parent \($0)');" }.joined()
            + (1...80).map {
                "INSERT INTO child(id, label, amount, parent) VALUES (\(id(1000 + $0)), 'child \($0)', \($0), \(id(1 + $0 % 40)));"
            }.joined()
    }

    private static var later: String {
        (1...30).map { TortureScope.pair("new", $0) }.joined(separator: "\n")
            + (1...10).map { "UPDATE child SET label = 'edited \($0)' WHERE id = \(id(1000 + $0));" }.joined()
            + "DELETE FROM parent WHERE id = \(id(40));"
    }

    // MARK: The replica

    func damageReplica(_ random: inout SplitMix64) throws -> CorruptionOutcome {
        let replica = Bool.random(using: &random) ? logged : settled
        let damage = replica.damage(&random)
        recorder.fault("replica: \(damage.kind.rawValue) of the \(damage.isInLog ? "log" : "database")")
        let place = "replica, \(damage)"
        try restoreServer()
        try replica.restore(damaged: (damage.suffix, damage.bytes))
        // A copy shows what the corruption left of the rows, since opening the file itself would change it.
        let copy = torture.stage.path("look.roost")
        try replica.restore(to: copy, damaged: (damage.suffix, damage.bytes))
        let before = ReplicaAudit.run(copy, isSettled: false)
        try replica.restore(to: copy, damaged: (damage.suffix, damage.bytes))
        let checked = try run("check", copy)
        check(checked, place, says: checked.error.isEmpty ? "file      " : "roost: ")
        let output = try run("sync", path)
        check(output, place)
        if recorder.hasFailed { try keep(replica, damage) }
        let stored = ServerAudit.run(torture.serverFile)
        let isReadable = !before.failures.contains {
            $0.contains("cannot be read") || $0.contains("integrity_check")
        }
        let isIntact =
            before.failures.isEmpty && waiting.isSubset(of: before.pendingKeys)
            && waiting.allSatisfy { before.contents[$0] == truth[$0] }
        let isJournaled = try journalsLostContent()
        let wrong = wrongKeys(stored.records)
        // Two kinds of wrong records are explained: pending rows with corrupt bytes of their own, and rows whose confirmed
        // content is in the journal.
        let kept = try wrong.isEmpty ? [] : keptByJournal()
        let unexplained = wrong.filter {
            !kept.contains($0) && (!waiting.contains($0) || isReadable && before.contents[$0] == truth[$0])
        }
        let isExplained = !wrong.isEmpty && unexplained.isEmpty
        // A corrupt half makes no pair with the other half, nor with the one that it replaced.
        recorder.fail(stored.failures.filter { !isExplained || !$0.hasPrefix(ServerAudit.halfPair) }, at: place)
        recorder.expect(
            unexplained.isEmpty, "\(place): I19: wrong data was pushed: \(unexplained.prefix(3).map { "\($0)" })")
        if recorder.hasFailed { try keep(replica, damage) }
        if !wrong.isEmpty, kept.isSuperset(of: wrong) { return .takenForWrite }
        if !wrong.isEmpty { return output.status == 0 ? .sentDamaged : .sentAndTold }
        if output.status != 0 { return .told }
        if isJournaled { return .journaled }
        let outcome = try judge(isIntact, stored, place)
        if recorder.hasFailed { try keep(replica, damage) }
        return outcome
    }

    /// Returns the records whose confirmed content is in the journal, because the row had different content.
    private func keptByJournal() throws -> Set<RecordKey> {
        let entries = try torture.sql(
            path,
            "SELECT entity, lower(hex(id)), lower(hex(put)) FROM roost_journal WHERE outcome = 'damaged' AND put NOT NULL;"
        )
        return Set(
            entries.lines.compactMap { line in
                let parts = line.split(separator: "|")
                guard parts.count == 3, let entity = UInt32(parts[0]), let id = Hex.decode(parts[1].utf8),
                    let id = RecordID(bytes: id), let put = Hex.decode(parts[2].utf8)
                else { return nil }
                let key = RecordKey(entity: EntityID(entity), id: id)
                return confirmedTruth[key] == ContentHash(of: put) ? key : nil
            })
    }

    private func journalsLostContent() throws -> Bool {
        let rows = try torture.sql(
            path,
            "SELECT count(*) FROM roost_journal WHERE reason LIKE 'The content of this change is not in the file%';")
        return (rows.lines.first.flatMap { Int($0) } ?? 0) > 0
    }

    /// Judges a sync that succeeded by what has arrived.
    ///
    /// - Parameter isIntact: Whether all pending content was still readable in the corrupt file.
    private func judge(_ isIntact: Bool, _ stored: ServerAudit, _ place: String) throws -> CorruptionOutcome {
        // The server already had the content of the deleted record.
        let edited = waiting.subtracting([Self.deletedKey])
        let arrived = edited.filter { stored.records[$0]?.put.map { ContentHash(of: $0.encoded) } == truth[$0] }
        let isDeleteThere = stored.records[RecordKey(entity: EntityID(3), id: Self.deleted)]?.delete != nil
        let after = ReplicaAudit.run(path, isSettled: true)
        let shown = after.contents
        if arrived.count < edited.count || !isDeleteThere {
            recorder.expect(
                !isIntact,
                "\(place): I19: \(edited.count - arrived.count) changes that wait are lost, and were not damaged")
            return try torture.events(path, "damage").isEmpty ? .lostWaiting : .lostAndSaid
        }
        let differing = truth.filter { key, hash in shown[key] != nil && shown[key] != hash }.keys
        let otherwise = differing.filter { waiting.contains($0) }
        recorder.expect(
            otherwise.isEmpty,
            "\(place): I19: changes that waited arrived, and the replica shows other content: \(otherwise.prefix(3))")
        if !differing.isEmpty || !after.failures.isEmpty {
            return try run("check", path).status != 0 ? .staysDamagedSaid : .showsDamaged
        }
        let events = try torture.events(path, "integrity") + torture.events(path, "damage")
        return events.isEmpty ? .harmless : .repaired
    }

    private static let deleted = RecordID(high: 0, low: 40)
    private static let deletedKey = RecordKey(entity: EntityID(3), id: deleted)

    /// Returns the records with content that no program wrote. A record may also have the content that was confirmed before.
    private func wrongKeys(_ records: [RecordKey: RecordState]) -> [RecordKey] {
        records.compactMap { key, state in
            guard let put = state.put else { return nil }
            let hash = ContentHash(of: put.encoded)
            if hash == truth[key] { return nil }
            return hash == confirmedTruth[key] ? nil : key
        }
    }

    /// The server's content hashes before the corruption.
    private lazy var confirmedTruth: [RecordKey: ContentHash] = {
        let copy = torture.stage.path("look-server.sqlite")
        try? server.restore(to: copy)
        return ServerAudit.run(copy).records.compactMapValues { $0.put.map { ContentHash(of: $0.encoded) } }
    }()

    // MARK: The server

    func damageServer(_ random: inout SplitMix64) throws -> CorruptionOutcome {
        let damage = server.damage(&random)
        recorder.fault("server: \(damage.kind.rawValue) of the \(damage.isInLog ? "log" : "database")")
        let place = "server, \(damage)"
        torture.stage.server?.kill()
        _ = confirmedTruth
        try server.restore(damaged: (damage.suffix, damage.bytes))
        try logged.restore()
        do {
            try torture.stage.startServer()
        } catch let error as UnexpectedEnd {
            recorder.expect(
                error.output.error.contains("roost-server: Cannot"),
                "\(place): I19: it ends without saying why: \(error)")
            return .told
        }
        let output = try run("sync", path)
        check(output, place)
        recorder.expect(torture.stage.server?.isRunning == true, "\(place): I19: the server dies")
        // Whatever the server sent, no local write may be lost or changed without an entry in the journal.
        let after = ReplicaAudit.run(path, isSettled: true)
        let differing = truth.filter { after.contents[$0.key] != $0.value }
        let journaled = Set(try torture.sql(path, "SELECT entity || lower(hex(id)) FROM roost_journal;").lines)
        let unsaid = differing.keys.filter {
            waiting.contains($0) && !journaled.contains("\($0.entity)\(Hex.encode($0.id.bytes))")
        }
        recorder.expect(unsaid.isEmpty, "\(place): I19: changes that wait are lost by a damaged server")
        if output.status != 0 { return .told }
        if !differing.isEmpty { return .showsDamaged }
        return try torture.events(path, "integrity").isEmpty ? .harmless : .repaired
    }

    // MARK: Helpers

    /// Writes the corrupt files to the folder that `ROOST_TORTURE_KEEP` names, for the investigation of a failure.
    private func keep(_ image: FileImage, _ damage: Damage) throws {
        guard let folder = ProcessInfo.processInfo.environment["ROOST_TORTURE_KEEP"] else { return }
        let name = "\(damage)".replacingOccurrences(of: " ", with: "-")
        try image.restore(to: folder + "/" + name, damaged: (damage.suffix, damage.bytes))
        // The files after the sync, if there was one.
        try FileImage(of: path).restore(to: folder + "/" + name + "-after")
        try FileImage(of: torture.serverFile).restore(to: folder + "/" + name + "-server")
    }

    private func restoreServer() throws {
        torture.stage.server?.kill()
        _ = confirmedTruth
        try server.restore()
        try torture.stage.startServer()
    }

    private func run(_ command: String, _ replica: String) throws -> Programs.Output {
        try Programs.run("timeout", ["-s", "KILL", "20", Programs.url("roost").path, command, replica])
    }

    /// Checks that the program exits by itself and reports its finding, whatever the bytes are.
    ///
    /// - Parameter says: A text that its output has if it fails.
    private func check(_ output: Programs.Output, _ place: String, says: String = "roost: ") {
        recorder.expect(
            !output.isSignalled && [0, 64, 65, 66, 69, 70, 75, 77].contains(output.status)
                && (output.status == 0 || (output.standard + output.error).contains(says)),
            "\(place): I19: the program does not end by itself with a word: \(output)")
    }
}
