internal import Roost
internal import Synchronization

/// The calls of a handle that wait for asynchronous work of the SDK, each of which can be cancelled.
final class Waits: Sendable {
    private struct State {
        var cancels: [UInt64: @Sendable () -> Void] = [:]
        var count: UInt64 = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Runs asynchronous work, and blocks the calling thread until it has ended.
    ///
    /// - Parameters:
    ///   - limit: The time after which the work is cancelled.
    ///   - action: The purpose of the call, as messages have it after "Cannot".
    /// - Throws: The error of the work; ``CallError`` with the kind `cancelled` or `timeout` where the work was ended before.
    func wait<Value: Sendable>(
        upTo limit: Duration? = nil, _ action: String, for work: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let deadline = limit.map { Deadline(after: $0) }
        let outcome = Outcome<Value>()
        let task = Task {
            do {
                outcome.set(.success(try await work()))
            } catch {
                outcome.set(.failure(error))
            }
        }
        let number = add {
            outcome.end(.cancelled)
            task.cancel()
        }
        defer { remove(number) }
        if outcome.isTimeOver(deadline) {
            outcome.end(.timeout)
            task.cancel()
        }
        do {
            return try outcome.value()
        } catch {
            switch outcome.reason {
            case .cancelled: throw CallError(.cancelled, "cancelled", "Cannot \(action): the call was cancelled.")
            case .timeout: throw CallError(.timeout, "timeout", "Cannot \(action) in time.")
            case nil: throw error
            }
        }
    }

    /// Cancels all calls that wait now.
    ///
    /// - Returns: Their number.
    @discardableResult
    func cancelAll() -> Int {
        let cancels = state.withLock { Array($0.cancels.values) }
        for cancel in cancels { cancel() }
        return cancels.count
    }

    /// Cancels all calls that wait, and those that come later.
    func close() {
        state.withLock { $0.isClosed = true }
        cancelAll()
    }

    private func add(_ cancel: @escaping @Sendable () -> Void) -> UInt64 {
        let (number, isClosed) = state.withLock { state in
            state.count += 1
            state.cancels[state.count] = cancel
            return (state.count, state.isClosed)
        }
        if isClosed { cancel() }
        return number
    }

    private func remove(_ number: UInt64) { state.withLock { _ = $0.cancels.removeValue(forKey: number) } }
}

/// The outcome of asynchronous work that a thread waits for.
private final class Outcome<Value: Sendable>: Sendable {
    enum Reason {
        case cancelled, timeout
    }

    private struct State {
        var result: Result<Value, any Error>?
        var reason: Reason?
    }

    private let state = Mutex(State())
    private let monitor = Monitor()

    /// The reason why the work was ended early.
    var reason: Reason? { state.withLock { $0.reason } }

    func set(_ result: Result<Value, any Error>) {
        monitor.locked {
            state.withLock { $0.result = result }
            monitor.notifyAll()
        }
    }

    func end(_ reason: Reason) { state.withLock { $0.reason = $0.reason ?? reason } }

    /// Waits for the result.
    ///
    /// - Returns: Whether the deadline has passed without one.
    func isTimeOver(_ deadline: Deadline?) -> Bool {
        monitor.locked {
            while state.withLock({ $0.result == nil }) {
                if !monitor.wait(until: deadline) { return state.withLock { $0.result == nil } }
            }
            return false
        }
    }

    /// Waits for the result, without a deadline, and returns it.
    func value() throws -> Value {
        _ = isTimeOver(nil)
        guard let result = state.withLock({ $0.result }) else { throw CancellationError() }
        return try result.get()
    }
}
