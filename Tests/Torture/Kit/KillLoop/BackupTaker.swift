internal import Foundation
internal import Synchronization
internal import TestProcesses

/// Takes backups of the running server repeatedly while all programs are being killed.
final class BackupTaker: Sendable {
    private struct Taken {
        var path: String
        /// The pairs that the server had acknowledged before the backup started.
        var acknowledged: Set<PairName>
    }

    private let data: String
    private let folder: URL
    private let book: KillBook
    private let recorder: Recorder
    private let backups = Mutex<[Taken]>([])

    init(data: String, in folder: URL, _ book: KillBook, _ recorder: Recorder) throws {
        self.data = data
        self.folder = folder.appending(path: "backups")
        self.book = book
        self.recorder = recorder
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    }

    var count: Int { backups.withLock { $0.count } }

    /// The path of a backup from before the middle of the run; the first one if there are few.
    var early: String? { backups.withLock { $0.isEmpty ? nil : $0[$0.count < 8 ? 0 : $0.count / 3].path } }

    /// Runs until the devices stop writing and there are `least` backups. A backup starts every `milliseconds`, or directly
    /// after one that took longer.
    func run(every milliseconds: Int, least: Int) throws {
        var number = 0
        var starts: [Date] = []
        while book.isWriting || number < least, !recorder.hasFailed {
            number += 1
            starts.append(Date())
            let path = folder.appending(path: "\(number).sqlite").path
            let acknowledged = book.acknowledgedPairs
            let output = try Programs.run("roost-server", ["backup", "--data", data, "--to", path])
            recorder.expect(output.status == 0, "I28: a backup fails: \(output)")
            backups.withLock { $0.append(Taken(path: path, acknowledged: acknowledged)) }
            let rest = Double(milliseconds) / 1000 + (starts.last?.timeIntervalSinceNow ?? 0)
            if rest > 0 { Thread.sleep(forTimeInterval: rest) }
        }
        let gaps = zip(starts, starts.dropFirst()).map { $1.timeIntervalSince($0) }.sorted()
        func tenths(_ gap: Double?) -> String { "\(((gap ?? 0) * 10).rounded() / 10)" }
        recorder.figure(
            "seconds from one backup to the next",
            "\(tenths(gaps.isEmpty ? nil : gaps[gaps.count / 2])) as a rule, \(tenths(gaps.last)) at most")
    }

    /// I28: every backup restores, to a state with all pairs that were acknowledged before it.
    func check() throws {
        let all = backups.withLock { $0 }
        for backup in all where !recorder.hasFailed {
            let target = folder.appending(path: "restored-\(UUID().uuidString)").path
            let output = try Programs.run("roost-server", ["restore", "--data", target, "--from", backup.path])
            recorder.expect(output.status == 0, "I28: \(backup.path) does not restore: \(output)")
            let audit = ServerAudit.run(target + "/roost.sqlite")
            recorder.fail(audit.failures, at: "I28, restored from \(backup.path)")
            let lost = backup.acknowledged.subtracting(audit.pairs)
            recorder.expect(lost.isEmpty, "I28: a backup lacks \(lost.count) transactions acknowledged before it")
            try FileManager.default.removeItem(atPath: target)
        }
    }
}
