internal import Foundation
internal import Synchronization
internal import TestProcesses

/// Kills the real programs at each of their file calls, one after the other, and checks the files that they leave.
///
/// The state continues from point to point: a later point also finds what an earlier crash broke.
struct CrashSweep {
    private let size: Part.Size
    private let recorder: Recorder

    init(_ size: Part.Size, _ recorder: Recorder) {
        self.size = size
        self.recorder = recorder
    }

    func run() throws {
        let points = Mutex<[CrashScene: Int]>([:])
        let underWay = Mutex(PushUnderWay.Counts())
        try Parallel.run(sweeps) { [recorder] sweep in
            let crashes = try CrashPoints(sweep.scene, sweep.fault, counting: sweep.calls, recorder)
            let count = try crashes.run(step: sweep.step)
            recorder.progress("\(sweep.scene.title), \(sweep.fault): \(count) points")
            points.withLock { $0[sweep.scene, default: 0] += count }
            underWay.withLock { $0 = $0 + crashes.underWay }
        }
        report(points.withLock { $0 }, underWay.withLock { $0 })
    }

    private struct Sweep: Sendable {
        var scene: CrashScene
        var fault: FaultControl.Fault
        var calls: [FaultControl.Call]?
        var step: Int
    }

    private var sweeps: [Sweep] {
        let all = CrashScene.allCases.flatMap { scene in
            faults(of: scene).map { Sweep(scene: scene, fault: $0, calls: nil, step: step(of: scene)) }
        }
        // The number of calls varies with the WAL. These few, at the very end, are therefore counted separately.
        let names = [CrashScene.backup, .restore].flatMap { scene in
            faults(of: scene).filter { $0 != .killHalfway }.map {
                Sweep(scene: scene, fault: $0, calls: [.rename, .link], step: 1)
            }
        }
        return all + names
    }

    private func report(_ counts: [CrashScene: Int], _ underWay: PushUnderWay.Counts) {
        for scene in CrashScene.allCases {
            recorder.floor("\(scene.title): points", reached: counts[scene] ?? 0, least: floor(of: scene))
        }
        recorder.floor("points in all", reached: counts.values.reduce(0, +), least: size == .full ? 600 : 60)
        let faults = recorder.report.faults
        for call in FaultControl.Call.changing {
            let deaths = faults.reduce(0) { $0 + ($1.key.hasSuffix(" \(call)") ? $1.value : 0) }
            let least = size == .full ? call.deathsLeast : [.rename, .link].contains(call) ? 1 : 0
            recorder.floor("deaths at \(call)", reached: deaths, least: least)
        }
        recorder.floor(
            "deaths with a push under way", reached: underWay.pushes, least: size == .full ? 10 : 3)
        recorder.floor(
            "deaths with a push under way that was stored", reached: underWay.stored, least: size == .full ? 4 : 1)
    }

    /// Returns the faults of a scene: all in the full form; in the short one, a kill before every eighth call. A push has so
    /// few calls that it is always tested fully.
    private func faults(of scene: CrashScene) -> [FaultControl.Fault] {
        isWhole(scene) ? [.killBefore, .killAfter, .killHalfway] : [.killBefore]
    }

    private func step(of scene: CrashScene) -> Int { isWhole(scene) ? 1 : 8 }

    private func isWhole(_ scene: CrashScene) -> Bool { size == .full || scene == .serverPush }

    private func floor(of scene: CrashScene) -> Int {
        size == .full ? scene.callsLeast * 2 : scene.callsLeast / 8
    }
}

extension FaultControl.Call {
    /// The minimum number of deaths at this kind of call, before, during and after it: with fewer, the sweep would not see
    /// the call.
    fileprivate var deathsLeast: Int {
        switch self {
        case .pwrite: 500
        case .fdatasync: 100
        case .ftruncate, .unlink, .create: 20
        case .fsync: 6
        case .rename: 4
        case .link: 2
        // Neither SQLite nor the programs make these calls in the scenes.
        case .write, .mkdir, .allocate, .open, .read, .pread: 0
        }
    }
}
