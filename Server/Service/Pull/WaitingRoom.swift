package import RoostModel
internal import Synchronization

/// All waiting pulls, by scope and replica.
package final class WaitingRoom: Sendable {
    private struct State {
        var waiters: [ScopeKey: [ReplicaID: [Waiter]]] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())
    private let perReplicaMax: Int

    package init(perReplicaMax: Int) {
        self.perReplicaMax = perReplicaMax
    }

    /// Admits a pull; returns `nil` if the replica has the maximum of waiting pulls.
    package func enter(_ replica: ReplicaID, in scope: ScopeKey) -> Waiter? {
        let waiter = Waiter()
        let isClosed: Bool? = state.withLock { state in
            if state.isClosed { return true }
            guard state.waiters[scope]?[replica]?.count ?? 0 < perReplicaMax else { return nil }
            state.waiters[scope, default: [:]][replica, default: []].append(waiter)
            return false
        }
        guard let isClosed else { return nil }
        if isClosed { waiter.wake(.stopping) }
        return waiter
    }

    package func leave(_ waiter: Waiter, _ replica: ReplicaID, in scope: ScopeKey) {
        state.withLock { state in
            state.waiters[scope]?[replica]?.removeAll { $0 === waiter }
            if state.waiters[scope]?[replica]?.isEmpty == true { state.waiters[scope]?[replica] = nil }
            if state.waiters[scope]?.isEmpty == true { state.waiters[scope] = nil }
        }
    }

    /// Wakes the pulls of a scope.
    ///
    /// - Parameter replica: A replica whose pulls continue to wait, because it already has the changes.
    package func wake(_ scope: ScopeKey, _ wake: Waiter.Wake, except replica: ReplicaID? = nil) {
        let waiters = state.withLock { state in
            (state.waiters[scope] ?? [:]).filter { $0.key != replica }.flatMap(\.value)
        }
        for waiter in waiters { waiter.wake(wake) }
    }

    /// Whether pulls of a scope wait, or have been woken and have not continued yet.
    ///
    /// - Parameter replica: A replica whose pulls do not count.
    func hasWaiting(in scope: ScopeKey, except replica: ReplicaID?) -> Bool {
        state.withLock { state in state.waiters[scope]?.contains { $0.key != replica } ?? false }
    }

    /// Ends the pulls of one replica.
    package func end(_ replica: ReplicaID, in scope: ScopeKey) {
        for waiter in state.withLock({ $0.waiters[scope]?[replica] ?? [] }) { waiter.wake(.revoked) }
    }

    /// Ends every pull, and later ones at once.
    package func close() {
        let all = state.withLock { state in
            state.isClosed = true
            return state.waiters.values.flatMap { $0.values.flatMap { $0 } }
        }
        for waiter in all { waiter.wake(.stopping) }
    }

    /// The number of waiting pulls.
    package var count: Int {
        state.withLock { $0.waiters.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } } }
    }
}
