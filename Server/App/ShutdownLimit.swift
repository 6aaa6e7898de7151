internal import Dispatch
internal import Foundation
internal import Synchronization

/// Ends the program if a stop takes too long, whatever it waits for: everything acknowledged is durable already.
final class ShutdownLimit: Sendable {
    private let seconds: Int
    private let sources = Mutex<[any DispatchSourceSignal]>([])

    init(seconds: Int) {
        self.seconds = seconds
    }

    /// Begins to watch for the signals that stop the program; their own handling is not changed.
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
