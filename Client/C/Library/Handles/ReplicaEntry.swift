internal import Glibc
internal import Objects
internal import Replica
internal import Roost
internal import RoostModel

/// An open replica with its calls, its observations and its live session.
///
/// The monitor guards all variable properties: they are used inside ``Monitor/locked(_:)`` only.
final class ReplicaEntry: @unchecked Sendable {
    /// The replica that a call uses.
    struct Use: Sendable {
        let replica: Replica
        let coordinator: StoreCoordinator

        /// A context of the call's own.
        var context: ObjectContext { ObjectContext(coordinator) }
        var schema: Schema { coordinator.model.schema }
    }

    /// The calls that wait for a server.
    let waits = Waits()
    private let durability: Durability
    private let monitor = Monitor()
    private var use: Use
    /// The number of calls that use the replica now.
    private var callCount = 0
    private var isClosed = false
    /// Whether one call uses the replica alone.
    private var isExclusive = false
    private var live = Live.none
    private var observations: [ObjectIdentifier: Observation] = [:]

    private enum Live {
        case none
        case running(LiveSession, Task<SyncReport, Never>)
        case ended(SyncReport)
    }

    init(_ replica: Replica, _ durability: Durability) throws {
        use = Use(replica: replica, coordinator: try StoreCoordinator(replica))
        self.durability = durability
    }

    // MARK: Calls

    /// Runs a call with the replica.
    ///
    /// - Throws: ``CallError`` with the kind `closed` or `busy`; the error of `body`.
    func call<Result>(_ body: (Use) throws -> Result) throws -> Result {
        let use = try monitor.locked {
            guard !isClosed else { throw Self.closed }
            guard !isExclusive else { throw Self.busy }
            callCount += 1
            return self.use
        }
        defer {
            monitor.locked {
                callCount -= 1
                monitor.notifyAll()
            }
        }
        return try body(use)
    }

    /// Runs a call that writes to the replica. A live session sends the change at once.
    func write<Result>(_ body: (Use) throws -> Result) throws -> Result {
        let result = try call(body)
        monitor.locked { if case .running(let session, _) = live { session.localChange() } }
        return result
    }

    /// Runs a call while no other call, observation or session uses the replica. The call may open the file again.
    ///
    /// - Parameter body: Returns the replica to use from then on, or `nil` to keep the present one.
    /// - Throws: ``CallError`` with the kind `closed` or `busy`; the error of `body`.
    func exclusively<Result>(_ body: (Use, Durability) throws -> (Result, Replica?)) throws -> Result {
        let use = try monitor.locked {
            guard !isClosed else { throw Self.closed }
            if case .running = live { throw Self.busy }
            guard !isExclusive, callCount == 0, observations.isEmpty else { throw Self.busy }
            isExclusive = true
            callCount += 1
            return self.use
        }
        defer {
            monitor.locked {
                isExclusive = false
                callCount -= 1
                monitor.notifyAll()
            }
        }
        let (result, replica) = try body(use, durability)
        guard let replica else { return result }
        let next = Use(replica: replica, coordinator: try StoreCoordinator(replica))
        monitor.locked { self.use = next }
        try use.replica.close()
        return result
    }

    /// Ends everything that uses the replica, and closes the file. The handle is removed before.
    func close() throws {
        let observations = monitor.locked {
            isClosed = true
            return Array(self.observations.values)
        }
        waits.close()
        for observation in observations { observation.end() }
        _ = stopLive()
        let use = monitor.locked {
            while callCount > 0 { _ = monitor.wait(until: nil) }
            return self.use
        }
        try use.replica.close()
    }

    private static let closed = CallError(.closed, "closedHandle", "The handle is closed.")
    private static let busy = CallError(
        .busy, "handleInUse",
        "Cannot use the replica alone: another call, an observation or a session uses it, or a call uses it alone.")

    // MARK: Live synchronisation

    /// Starts a live session.
    ///
    /// - Throws: ``CallError`` with the kind `busy` where one runs; otherwise as `LiveSession.init`.
    func startLive() throws {
        try call { use in
            try monitor.locked {
                if case .running = live {
                    throw CallError(.busy, "alreadyLive", "Cannot start: the replica is kept synchronised already.")
                }
            }
            let session = try LiveSession(use.replica) { [weak self] _ in self?.statusChanged() }
            monitor.locked {
                // The task ends the session in the monitor, and so not before this.
                let task = Task { [weak self] in
                    let report = await session.run()
                    self?.ended(report)
                    return report
                }
                live = .running(session, task)
            }
        }
    }

    /// Stops the live session.
    ///
    /// - Returns: The report of the session, also of one that has ended by itself; `nil` where there was none.
    func stopLive() -> SyncReport? {
        let running: (session: LiveSession, task: Task<SyncReport, Never>)?
        switch monitor.locked({ live }) {
        case .none: return nil
        case .ended: running = nil
        case .running(let session, let task): running = (session, task)
        }
        if let running {
            // Nothing else waits for this, so it is not cancelled.
            let (session, task) = running
            let stop: @Sendable () async throws -> SyncReport = {
                await session.stop()
                return await task.value
            }
            _ = try? Waits().wait("stop", for: stop)
        }
        let (last, path) = monitor.locked {
            defer { live = .none }
            return (report, use.replica.path)
        }
        // The session releases the file a moment after its end.
        for _ in 0..<200 where running != nil && SyncLease.holder(of: path) == getpid() { usleep(5000) }
        return last
    }

    private var report: SyncReport? { if case .ended(let report) = live { report } else { nil } }

    private func ended(_ report: SyncReport) {
        let before = monitor.locked {
            defer { live = .ended(report) }
            return live
        }
        // The session is released outside the monitor.
        withExtendedLifetime(before) {}
        statusChanged()
    }

    /// The live session; `nil` where none runs.
    var session: LiveSession? {
        monitor.locked { if case .running(let session, _) = live { session } else { nil } }
    }

    /// The state of live synchronisation: that of the session, or the reason of its end.
    var liveState: JSONValue {
        switch monitor.locked({ live }) {
        case .none: return .members(("state", .string("notRunning")))
        case .ended(let report):
            return .members(("state", .string("stopped")), ("reason", .string(report.state)))
        case .running(let session, _):
            let state = session.state
            return .members(("state", .string(state.name)), ("reason", state.reason.map { .string($0) }))
        }
    }

    private func statusChanged() {
        for observation in monitor.locked({ Array(observations.values) }) { observation.changed() }
    }

    // MARK: Observations

    /// Keeps an observation until it ends.
    ///
    /// - Throws: ``CallError`` with the kind `closed`.
    func add(_ observation: Observation) throws {
        try monitor.locked {
            guard !isClosed else { throw Self.closed }
            observations[ObjectIdentifier(observation)] = observation
        }
    }

    /// Forgets an observation that ends.
    func remove(_ observation: Observation) {
        monitor.locked { _ = observations.removeValue(forKey: ObjectIdentifier(observation)) }
    }

    /// Cancels all calls that wait for a server or an event now.
    ///
    /// - Returns: Their number.
    func cancel() -> Int {
        let observations = monitor.locked { Array(self.observations.values) }
        return waits.cancelAll() + observations.count { $0.cancel() }
    }
}

extension SessionState {
    /// The name of the state, for programs.
    fileprivate var name: String {
        switch self {
        case .notRunning: "notRunning"
        case .pushing: "pushing"
        case .pulling: "pulling"
        case .upToDate: "upToDate"
        case .offline: "offline"
        case .waiting: "waiting"
        case .blocked: "blocked"
        case .stopped: "stopped"
        }
    }
}
