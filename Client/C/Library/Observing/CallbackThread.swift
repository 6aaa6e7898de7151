internal import Foundation

/// The thread on which all callbacks of the process run, one after another.
///
/// Because there is one, a callback that ends another observation never waits for a callback that waits for it.
final class CallbackThread: @unchecked Sendable {
    static let shared = CallbackThread()

    /// Guards the variable properties.
    private let monitor = Monitor()
    private var waiting: [Observation] = []
    private var thread: pthread_t?

    private init() {
        let thread = Thread { [self] in
            monitor.locked { self.thread = pthread_self() }
            while true { next().fire() }
        }
        thread.name = "roost.callbacks"
        thread.start()
    }

    /// Whether the calling thread is this one, and so runs a callback.
    var isCurrent: Bool { monitor.locked { thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false } }

    /// Calls the callback of an observation soon, once for all requests until then.
    func request(_ observation: Observation) {
        monitor.locked {
            guard !waiting.contains(where: { $0 === observation }) else { return }
            waiting.append(observation)
            monitor.notifyAll()
        }
    }

    private func next() -> Observation {
        monitor.locked {
            while waiting.isEmpty { _ = monitor.wait(until: nil) }
            return waiting.removeFirst()
        }
    }
}
