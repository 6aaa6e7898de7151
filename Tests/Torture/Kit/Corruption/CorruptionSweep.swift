internal import Foundation
internal import RoostModel
internal import Synchronization
internal import TestProcesses

/// Corrupts a replica, its WAL and a server's file in many places, and checks the reaction of the programs.
struct CorruptionSweep {
    private let size: Part.Size
    private let seed: UInt64
    private let recorder: Recorder

    init(_ size: Part.Size, seed: UInt64, _ recorder: Recorder) {
        self.size = size
        self.seed = seed
        self.recorder = recorder
    }

    private var replicaCases: Int { size == .full ? 1600 : 60 }
    private var serverCases: Int { size == .full ? 500 : 16 }

    func run() throws {
        let replicas = Mutex<[CorruptionOutcome: Int]>([:])
        let servers = Mutex<[CorruptionOutcome: Int]>([:])
        let workers = 2
        try Parallel.run(Array(0..<workers)) { worker in
            let bench = try CorruptionBench(recorder)
            for number in stride(from: worker, to: replicaCases, by: workers) where !recorder.hasFailed {
                var random = SplitMix64(state: seed &* 100_003 &+ UInt64(number))
                let outcome = try bench.damageReplica(&random)
                replicas.withLock { $0[outcome, default: 0] += 1 }
                if number.isMultiple(of: 200) { recorder.progress("replica, place \(number)") }
            }
            for number in stride(from: worker, to: serverCases, by: workers) where !recorder.hasFailed {
                var random = SplitMix64(state: seed &* 200_003 &+ UInt64(number))
                let outcome = try bench.damageServer(&random)
                servers.withLock { $0[outcome, default: 0] += 1 }
            }
        }
        report("replica", replicas.withLock { $0 })
        judge(replicas.withLock { $0 })
        report("server", servers.withLock { $0 })
        judgeShown("server", servers.withLock { $0 })
        recorder.floor("places damaged", reached: recorder.faults, least: size == .full ? 2000 : 70)
    }

    /// Checks the counts. Only corruption of a pending row's own bytes is undetectable (decisions 57 and 111).
    private func judge(_ counts: [CorruptionOutcome: Int]) {
        let all = max(1, counts.values.reduce(0, +))
        let sent = counts[.sentDamaged, default: 0] + counts[.sentAndTold, default: 0]
        recorder.expect(
            sent <= 1 + all * Self.sentPerMilleMax / 1000,
            "I19: what waited was sent with damaged bytes at \(sent) of \(all) places, which is more than its rows explain"
        )
        judgeShown("replica", counts)
        guard size == .full else { return }
        let well = counts.filter(\.key.isWell).values.reduce(0, +)
        recorder.floor(
            "replica, places in 1,000 where all is there in the end without the user", reached: well * 1000 / all,
            least: Self.wellPerMilleMin)
        let unsaid = counts.filter(\.key.isUnsaid).values.reduce(0, +)
        recorder.floor(
            "replica, places in 1,000 where damage does no harm or is said", reached: 1000 - unsaid * 1000 / all,
            least: Self.saidPerMilleMin)
    }

    private func judgeShown(_ name: String, _ counts: [CorruptionOutcome: Int]) {
        let all = counts.values.reduce(0, +)
        let shown = counts[.showsDamaged] ?? 0
        recorder.expect(
            shown <= all * Self.shownPerMilleMax / 1000,
            "I19: \(name): damage stays at \(shown) of \(all) places, and nothing says so")
    }

    private static let sentPerMilleMax = 5
    private static let shownPerMilleMax = 2
    private static let wellPerMilleMin = 660
    private static let saidPerMilleMin = 960

    private func report(_ name: String, _ counts: [CorruptionOutcome: Int]) {
        let all = counts.values.reduce(0, +)
        for outcome in CorruptionOutcome.allCases {
            let count = counts[outcome] ?? 0
            let tenths = all == 0 ? 0 : count * 1000 / all
            recorder.figure("\(name), \(outcome.title)", "\(count) of \(all) (\(tenths / 10).\(tenths % 10) %)")
        }
    }
}
