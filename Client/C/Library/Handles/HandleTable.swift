internal import Synchronization

/// The handles of the process. A handle is a number that is never used again, so that a stale one names nothing.
final class HandleTable: Sendable {
    static let shared = HandleTable()

    /// An object that a handle names.
    enum Entry: Sendable {
        /// A replica that is being joined.
        case opening(Waits)
        case replica(ReplicaEntry)
        case observation(Observation)

        var name: String {
            switch self {
            case .opening: "a replica that is being opened"
            case .replica: "a replica"
            case .observation: "an observation"
            }
        }
    }

    private struct State {
        /// A number that was made up is unlikely to be a handle.
        let first = Int64.random(in: (1 << 32)..<(1 << 48))
        var next: Int64
        var entries: [Int64: Entry] = [:]

        init() { next = first }
    }

    private let state = Mutex(State())

    /// Gives an object a handle.
    func add(_ entry: Entry) -> Int64 {
        state.withLock { state in
            state.next += 1
            state.entries[state.next] = entry
            return state.next
        }
    }

    /// Gives the handle of a replica that was being opened to the replica.
    func replace(_ handle: Int64, by replica: ReplicaEntry) {
        state.withLock { $0.entries[handle] = .replica(replica) }
    }

    /// Ends a handle.
    ///
    /// - Returns: The object that it named; `nil` where another thread has ended it.
    @discardableResult
    func remove(_ handle: Int64) -> Entry? { state.withLock { $0.entries.removeValue(forKey: handle) } }

    /// Ends the handles of all observations of a replica that is closed.
    func removeObservations(of replica: ReplicaEntry) {
        let removed = state.withLock { state in
            let ended = state.entries.filter {
                if case .observation(let observation) = $0.value { observation.owner === replica } else { false }
            }
            for handle in ended.keys { state.entries[handle] = nil }
            return ended
        }
        // Observations are released outside the lock.
        withExtendedLifetime(removed) {}
    }

    /// Returns the object of a handle.
    ///
    /// - Throws: ``CallError`` with the kind `closed`.
    func entry(_ handle: Int64) throws(CallError) -> Entry {
        let (entry, wasGiven) = state.withLock { state in
            (state.entries[handle], handle > state.first && handle <= state.next)
        }
        if let entry { return entry }
        throw wasGiven
            ? CallError(.closed, "closedHandle", "The handle \(handle) is closed.")
            : CallError(.closed, "unknownHandle", "The handle \(handle) was never given out.")
    }

    /// Returns the replica of a handle.
    ///
    /// - Throws: ``CallError`` with the kind `closed`, or `busy` while it is being opened.
    func replica(_ handle: Int64) throws(CallError) -> ReplicaEntry {
        switch try entry(handle) {
        case .replica(let replica): return replica
        case .opening: throw CallError(.busy, "handleInUse", "The handle \(handle) is still being opened.")
        case let other: throw wrongHandle(handle, other, expected: "a replica")
        }
    }

    /// Returns the observation of a handle.
    ///
    /// - Throws: ``CallError`` with the kind `closed`.
    func observation(_ handle: Int64) throws(CallError) -> Observation {
        switch try entry(handle) {
        case .observation(let observation): return observation
        case let other: throw wrongHandle(handle, other, expected: "an observation")
        }
    }

    private func wrongHandle(_ handle: Int64, _ entry: Entry, expected: String) -> CallError {
        CallError(.closed, "wrongHandle", "The handle \(handle) is that of \(entry.name), expected \(expected).")
    }
}
