/// One part of the torture.
package enum Part: String, CaseIterable, Sendable {
    case crash, kill, writers, proxy, limits, corruption, upgrade

    /// The extent of a part.
    package enum Size: Sendable {
        /// The extent for `scripts/test`: seconds.
        case short
        /// The extent for the figures of the reliability report.
        case full
    }

    package var title: String {
        switch self {
        case .crash: "Crash sweep"
        case .kill: "Kill loop"
        case .writers: "Many processes on one replica"
        case .proxy: "Fault proxy"
        case .corruption: "Corruption"
        case .upgrade: "Upgrades from an earlier commit"
        case .limits: "Full disk, failing disk, and limits"
        }
    }

    /// Runs the part to its end.
    ///
    /// - Throws: An error that prevented the run. A broken promise is a failure in the report.
    package func run(_ size: Size, seed: UInt64) throws -> PartReport {
        let recorder = Recorder(self, seed: seed)
        switch self {
        case .crash: try CrashSweep(size, recorder).run()
        case .kill: try KillLoop(size, seed: seed, recorder).run()
        case .writers: try Writers(size, seed: seed, recorder).run()
        case .proxy: try ProxyRounds(size, seed: seed, recorder).run()
        case .corruption: try CorruptionSweep(size, seed: seed, recorder).run()
        case .limits: try LimitSweep(size, recorder).run()
        case .upgrade: try UpgradePart(size, recorder).run()
        }
        return recorder.report
    }
}
