internal import Foundation
internal import RoostModel
internal import Synchronization
internal import TestProcesses

/// Eight devices write and synchronise while their programs and the server are killed repeatedly. The observed state of every
/// device is compared with the writes.
struct KillLoop {
    private let size: Part.Size
    private let seed: UInt64
    private let recorder: Recorder

    init(_ size: Part.Size, seed: UInt64, _ recorder: Recorder) {
        self.size = size
        self.seed = seed
        self.recorder = recorder
    }

    private var amounts: KillAmounts { size == .full ? .full : .short }

    func run() throws {
        let torture = try TortureStage(recorder, replicas: amounts.devices)
        try prepare(torture)
        let book = KillBook(devices: amounts.devices, patienceSeconds: amounts.patienceSeconds)
        let chaos = ServerChaos(torture, book, recorder)
        var threads: [Threads.Work] = []
        for number in 0..<amounts.devices {
            let device = KillDevice(number, torture.replicas[number], torture.folder, amounts, book, recorder)
            let salt = seed &* 1000 &+ UInt64(number)
            threads.append(.init { try device.write(SplitMix64(state: salt)) })
            threads.append(.init { try device.synchronise(SplitMix64(state: salt &+ 100)) })
        }
        let backups = try BackupTaker(data: torture.stage.path("server"), in: torture.folder, book, recorder)
        threads.append(
            .init { [amounts] in try backups.run(every: amounts.backupMilliseconds, least: amounts.backupsLeast) })
        let replicas = torture.replicas
        threads.append(
            .init { [seed, amounts] in try chaos.run(SplitMix64(state: seed &+ 7777), amounts) }
        )
        threads.append(
            .init { [seed, recorder, amounts] in
                try HistoryObserver(replicas, book, recorder).run(
                    SplitMix64(state: seed &+ 8888), least: amounts.killsLeast)
            })
        try Threads.run(threads)
        try finish(torture, book)
        try check(torture, book)
        try backups.check()
        recorder.floor("backups that restore", reached: backups.count, least: amounts.backupsLeast)
        if let early = backups.early { try rollBack(torture, book, to: early) }
    }

    /// I17: the server is restored from a backup of the run, and its devices bring back what it lacks.
    private func rollBack(_ torture: TortureStage, _ book: KillBook, to backup: String) throws {
        torture.stage.server?.kill()
        try Programs.check("roost-server", "restore", "--data", torture.stage.path("server"), "--from", backup)
        try torture.ensureServer()
        let before = torture.auditServer(at: "restored").pairs.count
        try torture.converge(at: "restored")
        let after = torture.auditServer(at: "restored and synchronised").pairs
        let lost = book.writtenPairs.subtracting(after)
        recorder.expect(lost.isEmpty, "I17: \(lost.count) transactions did not come back to a restored server")
        recorder.figure("transactions brought back to a restored server", "\(after.count - before)")
        recorder.floor("transactions brought back", reached: after.count - before, least: 1)
        recorder.fault("server restored from a backup")
    }

    /// Writes the shared records, which all devices edit and which therefore conflict, and one that no device edits.
    private func prepare(_ torture: TortureStage) throws {
        let parents = (1...6).map { "(\(id($0)), 'p\($0)')" }.joined(separator: ", ")
        let children = (11...25).map { "(\(id($0)), 'c\($0)', \(id(1 + $0 % 5)))" }.joined(separator: ", ")
        try torture.sql(
            torture.replicas[0],
            "INSERT INTO parent(id, name) VALUES \(parents); INSERT INTO child(id, label, parent) VALUES \(children);")
        for replica in torture.replicas { try torture.syncCleanly(replica, at: "preparing") }
    }

    /// Ends the faults. The remaining daemons, and a daemon for every other device, synchronise all devices.
    private func finish(_ torture: TortureStage, _ book: KillBook) throws {
        try torture.ensureServer()
        let start = Date()
        let daemons = try torture.replicas.enumerated().map { number, replica in
            try RunningProgram("roostd", [replica], log: torture.folder.appending(path: "last-\(number).log"))
        }
        let isTogether = try eventually(within: 30) {
            let server = ServerAudit.run(torture.serverFile)
            return torture.replicas.allSatisfy { replica in
                let audit = ReplicaAudit.run(replica, isSettled: false)
                return audit.waiting == 0 && audit.digest == server.digest
            }
        }
        recorder.converged(after: Date().timeIntervalSince(start))
        recorder.expect(isTogether, "I26: not together 30 s after the faults stopped")
        for daemon in daemons { recorder.expect(daemon.terminate() == 0, "a daemon ends with an error: \(daemon.log)") }
        try torture.converge(at: "at the end", rounds: 1)
    }

    private func check(_ torture: TortureStage, _ book: KillBook) throws {
        let server = torture.auditServer(at: "at the end")
        let written = book.writtenPairs
        recorder.expect(
            written.isSubset(of: server.pairs),
            "I3: \(written.subtracting(server.pairs).count) of \(written.count) committed transactions are lost")
        recorder.expect(
            server.pairs.isSubset(of: written), "I3: the server has transactions that nobody says to have written")
        recorder.expect(
            server.emptySequences == 0,
            "I6: \(server.emptySequences) sequences hold nothing: a push was stored twice")
        for (key, high) in book.acknowledgedStamps {
            let slots = server.records[key]?.stamps
            recorder.expect(
                [slots?.put?.stamp, slots?.delete].compactMap { $0 }.max() ?? high >= high && slots != nil,
                "I3: \(key) is older than what was acknowledged")
        }
        for replica in torture.replicas {
            recorder.expect(try torture.events(replica, "integrity") == [], "\(replica): an integrity event")
        }
        try torture.countOutcomes()
        recorder.count {
            $0.written = written.count * 2 + book.edits
            $0.acknowledged = server.pairs.count * 2
        }
        recorder.figure("edits of records that everybody edits", "\(book.edits)")
        recorder.figure("snapshots checked while it ran", "\(book.snapshots)")
        recorder.floor("kills", reached: book.kills, least: amounts.killsLeast)
        recorder.floor("kills of the server", reached: book.serverKills, least: amounts.serverKillsLeast)
        recorder.floor(
            "changes acknowledged", reached: server.pairs.count * 2, least: amounts.pairsEach * amounts.devices * 2)
        recorder.floor("snapshots", reached: book.snapshots, least: amounts.killsLeast)
        recorder.floor("kills with a push under way", reached: book.pushesLeft, least: amounts.pausesLeast)
        for paused in KillBook.Paused.allCases {
            recorder.floor(
                "\(paused.rawValue)s stopped for a while", reached: book.pauses(of: paused), least: amounts.pausesLeast)
        }
        let traffic = recorder.report.traffic
        recorder.floor("changes beaten", reached: traffic.beaten, least: amounts.devices)
        recorder.floor("records hidden", reached: max(book.hidden, traffic.hidden), least: amounts.devices)
        recorder.floor("changes refused", reached: traffic.refused, least: amounts.devices)
    }
}

/// The extent of a kill loop.
struct KillAmounts: Sendable {
    var devices: Int
    var pairsEach: Int
    var killsLeast: Int
    var serverKillsLeast: Int { killsLeast / 6 }
    /// The longest pause of a writer between two batches.
    var pauseMillisecondsMax: Int
    /// The time for which a program is stopped.
    var pauseMilliseconds: ClosedRange<Int>
    /// The minimum number of pauses of each kind.
    var pausesLeast: Int
    /// The interval between the starts of two backups.
    var backupMilliseconds: Int
    var backupsLeast: Int
    /// The time for which the devices may continue after their pairs, to wait for events of chance.
    var patienceSeconds: Double

    static let full = KillAmounts(
        devices: 8, pairsEach: 1300, killsLeast: 200, pauseMillisecondsMax: 3000,
        pauseMilliseconds: 1000...5000, pausesLeast: 5, backupMilliseconds: 2000, backupsLeast: 50,
        patienceSeconds: 600)
    static let short = KillAmounts(
        devices: 4, pairsEach: 100, killsLeast: 16, pauseMillisecondsMax: 600,
        pauseMilliseconds: 300...600, pausesLeast: 0, backupMilliseconds: 500, backupsLeast: 2,
        patienceSeconds: 120)
}
