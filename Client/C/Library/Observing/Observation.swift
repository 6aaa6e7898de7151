internal import Objects
internal import RoostModel

/// An observation of a list or of a replica's status: a callback without a payload, and events that are read.
///
/// The monitor guards the variable properties. One thread at a time uses the content: the one that has set `isReading`.
final class Observation: @unchecked Sendable {
    /// The function that is called when there may be an event.
    struct Callback {
        let function: @convention(c) (UnsafeMutableRawPointer?) -> Void
        let context: UnsafeMutableRawPointer?
    }

    /// The source of the events.
    protocol Content {
        /// Returns the changes since the last event; `nil` where there are none.
        func event() throws -> JSONValue?
    }

    let owner: ReplicaEntry
    private let content: any Content
    private let callback: Callback?
    private let monitor = Monitor()
    /// Whether something may have changed since the content was last read.
    private var hasNews = true
    private var isReading = false
    private var isFiring = false
    private var isEnded = false
    /// The number of times that waits were cancelled.
    private var cancelCount = 0
    /// The task that follows the store.
    private var following: Task<Void, Never>?

    init(_ owner: ReplicaEntry, _ content: any Content, _ callback: Callback?) {
        self.owner = owner
        self.content = content
        self.callback = callback
    }

    /// Starts to follow the changes of a store.
    func start(_ changes: AsyncStream<StoreChange>) {
        let task = Task { [weak self] in
            for await _ in changes {
                guard let self else { return }
                self.changed()
            }
        }
        monitor.locked { following = task }
        if callback != nil { CallbackThread.shared.request(self) }
    }

    /// Reports that something may have changed.
    func changed() {
        monitor.locked {
            hasNews = true
            monitor.notifyAll()
        }
        if callback != nil { CallbackThread.shared.request(self) }
    }

    /// Calls the callback, unless the observation has ended. Called by the thread of callbacks.
    func fire() {
        guard let callback else { return }
        let isWanted = monitor.locked {
            if !isEnded { isFiring = true }
            return !isEnded
        }
        guard isWanted else { return }
        callback.function(callback.context)
        monitor.locked {
            isFiring = false
            monitor.notifyAll()
        }
    }

    /// Ends the observation. No callback runs any more when this returns, except the one that calls it.
    func end() {
        let isOwnCallback = callback != nil && CallbackThread.shared.isCurrent
        monitor.locked {
            isEnded = true
            monitor.notifyAll()
            while isFiring, !isOwnCallback { _ = monitor.wait(until: nil) }
            following?.cancel()
            following = nil
        }
        owner.remove(self)
    }

    /// Ends the wait for an event.
    ///
    /// - Returns: Whether a thread was waiting.
    func cancel() -> Bool {
        monitor.locked {
            cancelCount += 1
            monitor.notifyAll()
            return isReading
        }
    }

    // MARK: Events

    private enum Wait {
        case news, timeIsOver, ended, cancelled
    }

    /// Waits for the next event.
    ///
    /// - Returns: The event; `nil` where the time is over.
    /// - Throws: ``CallError`` with the kind `closed`, `busy` or `cancelled`; the error of a fetch.
    func next(within timeout: Duration) throws -> JSONValue? {
        let deadline = Deadline(after: timeout)
        let cancels = try monitor.locked {
            guard !isEnded else { throw Self.closed }
            guard !isReading else {
                throw CallError(.busy, "alreadyWaiting", "Another thread waits for an event of this observation.")
            }
            isReading = true
            return cancelCount
        }
        defer { monitor.locked { isReading = false } }
        while true {
            switch wait(until: deadline, cancels) {
            case .news: if let event = try read() { return event }
            case .timeIsOver: return nil
            case .ended: throw Self.closed
            case .cancelled: throw CallError(.cancelled, "cancelled", "The wait for an event was cancelled.")
            }
        }
    }

    private func wait(until deadline: Deadline, _ cancels: Int) -> Wait {
        monitor.locked {
            var isTimeLeft = true
            while true {
                if isEnded { return .ended }
                if cancels != cancelCount { return .cancelled }
                if hasNews {
                    hasNews = false
                    return .news
                }
                guard isTimeLeft else { return .timeIsOver }
                isTimeLeft = monitor.wait(until: deadline)
            }
        }
    }

    /// Reads the content. After an error, the next call reads it again.
    private func read() throws -> JSONValue? {
        do {
            return try content.event()
        } catch {
            monitor.locked { hasNews = true }
            throw error
        }
    }

    private static let closed = CallError(.closed, "closedHandle", "The observation has ended.")
}
