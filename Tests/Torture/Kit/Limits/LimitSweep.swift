internal import Foundation
internal import Synchronization
internal import TestProcesses

/// Makes each file call of the real programs fail, one at a time and all from one on, and limits their resources. They must
/// report it, keep their data, and work again afterwards.
struct LimitSweep {
    private let size: Part.Size
    private let recorder: Recorder

    init(_ size: Part.Size, _ recorder: Recorder) {
        self.size = size
        self.recorder = recorder
    }

    private struct Sweep: Sendable {
        var scene: CrashScene
        var fault: FaultControl.Fault
        var calls: [FaultControl.Call]
    }

    func run() throws {
        let points = Atomic<Int>(0)
        try Parallel.run(sweeps) { [recorder, step] sweep in
            let count = try CrashPoints(sweep.scene, sweep.fault, counting: sweep.calls, recorder).run(step: step)
            recorder.progress("\(sweep.scene.title), \(sweep.fault): \(count) points")
            points.add(count, ordering: .relaxed)
        }
        recorder.floor(
            "calls that failed", reached: points.load(ordering: .relaxed), least: size == .full ? 800 : 14)
        try ResourceLimits(size, recorder).run()
        try ConnectionFlood(size, recorder).run()
    }

    private var step: Int { size == .full ? 1 : 4 }

    private var sweeps: [Sweep] {
        let scenes: [CrashScene] =
            size == .full
            ? [
                .plainWrite, .libraryWrite, .clientSync, .newReplica, .join, .migration, .serverPush, .serverStart,
                .serverPurge, .clientPurge, .backup, .restore,
            ]
            : [.clientSync, .serverPush]
        let opening = FaultControl.Call.changing + [.open]
        let reading: [FaultControl.Call] = [.read, .pread]
        return scenes.flatMap { scene -> [Sweep] in
            let full = Sweep(scene: scene, fault: .error(ENOSPC, calls: nil), calls: FaultControl.Call.changing)
            let failing = Sweep(scene: scene, fault: .error(EIO, calls: 1), calls: FaultControl.Call.changing)
            guard size == .full, [.plainWrite, .clientSync, .serverPush].contains(scene) else {
                return [full, failing]
            }
            return [
                full, failing, Sweep(scene: scene, fault: .error(ENOSPC, calls: 1), calls: FaultControl.Call.changing),
                Sweep(scene: scene, fault: .error(EIO, calls: 1), calls: reading),
                Sweep(scene: scene, fault: .error(EMFILE, calls: 3), calls: opening),
            ]
        }
    }
}
