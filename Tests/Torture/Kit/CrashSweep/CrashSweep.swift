internal import Foundation
internal import Synchronization
internal import TestProcesses

/// Ends the real programs at each of their file calls, one after the other, and looks at what they leave.
///
/// The state goes on from point to point: what one death breaks, a later point would find too.
struct CrashSweep {
    private let size: Part.Size
    private let recorder: Recorder

    init(_ size: Part.Size, _ recorder: Recorder) {
        self.size = size
        self.recorder = recorder
    }

    func run() throws {
        let sweeps = CrashScene.allCases.flatMap { scene in faults.map { (scene: scene, fault: $0) } }
        let points = Mutex<[CrashScene: Int]>([:])
        try Parallel.run(sweeps) { [recorder, step] sweep in
            let count = try CrashPoints(sweep.scene, sweep.fault, recorder).run(step: step)
            recorder.progress("\(sweep.scene.title), \(sweep.fault): \(count) points")
            points.withLock { $0[sweep.scene, default: 0] += count }
        }
        let counts = points.withLock { $0 }
        for scene in CrashScene.allCases {
            recorder.floor("\(scene.title): points", reached: counts[scene] ?? 0, least: floor(of: scene))
        }
        recorder.floor("points in all", reached: counts.values.reduce(0, +), least: size == .full ? 600 : 60)
    }

    /// Every call in the full form; in the short one, each seventh, before it is made.
    private var faults: [FaultControl.Fault] {
        size == .full ? [.killBefore, .killAfter, .killHalfway] : [.killBefore]
    }

    private var step: Int { size == .full ? 1 : 7 }

    private func floor(of scene: CrashScene) -> Int {
        size == .full ? scene.callsLeast * 2 : scene.callsLeast / 8
    }
}
