import Dispatch
import Foundation

/// Ends a run that takes too long, because a benchmark that waits for ever reports nothing.
final class Watchdog {
    private let timer: any DispatchSourceTimer

    /// - Parameter folder: The folder to delete before the program ends.
    init(seconds: Double, folder: URL) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "roost.bench.watchdog"))
        timer.schedule(deadline: .now() + seconds)
        timer.setEventHandler(
            handler: DispatchWorkItem {
                FileHandle.standardError.write(Data("roost-bench: ended after \(Int(seconds)) s\n".utf8))
                ChildProcess.killAll()
                try? FileManager.default.removeItem(at: folder)
                exit(1)
            })
        timer.activate()
    }

    func stop() { timer.cancel() }
}
