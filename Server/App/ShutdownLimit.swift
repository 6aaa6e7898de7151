internal import Dispatch
internal import Foundation
internal import Synchronization

/// A time limit that ends the program if stopping takes too long, whatever it waits for: everything acknowledged is already
/// durable.
final class ShutdownLimit: Sendable {
    private let seconds: Int
    private let sources = Mutex<[any DispatchSourceSignal]>([])

    init(seconds: Int) {
        self.seconds = seconds
    }

    /// Starts to observe the signals that stop the program, without changing their handling.
    func arm() {
        let queue = DispatchQueue(label: "roost-shutdown")
        sources.withLock { sources in
            sources = [SIGTERM, SIGINT].map { signal in
                let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
                source.setEventHandler { [seconds] in
                    queue.asyncAfter(deadline: .now() + .seconds(seconds)) { _exit(0) }
                }
                source.resume()
                return source
            }
        }
    }
}
