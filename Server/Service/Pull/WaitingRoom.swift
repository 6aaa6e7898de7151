package import RoostModel
internal import Synchronization

/// All pulls that wait, by scope and replica.
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

    /// Lets a pull in; `nil` if the replica has as many waiting as it may.
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
    /// - Parameter replica: Knows already, and sleeps on.
    package func wake(_ scope: ScopeKey, _ wake: Waiter.Wake, except replica: ReplicaID? = nil) {
        let waiters = state.withLock { state in
            (state.waiters[scope] ?? [:]).filter { $0.key != replica }.flatMap(\.value)
        }
        for waiter in waiters { waiter.wake(wake) }
    }

    /// Whether pulls of a scope wait, or have been woken and have not gone on yet.
    ///
    /// - Parameter replica: Whose do not count.
    func hasWaiting(in scope: ScopeKey, except replica: ReplicaID?) -> Bool {
        state.withLock { state in state.waiters[scope]?.contains { $0.key != replica } ?? false }
    }

    /// Ends the pulls of one replica.
    package func end(_ replica: ReplicaID, in scope: ScopeKey) {
        for waiter in state.withLock({ $0.waiters[scope]?[replica] ?? [] }) { waiter.wake(.revoked) }
    }

    /// Ends every pull, and those to come at once.
    package func close() {
        let all = state.withLock { state in
            state.isClosed = true
            return state.waiters.values.flatMap { $0.values.flatMap { $0 } }
        }
        for waiter in all { waiter.wake(.stopping) }
    }

    /// How many pulls wait.
    package var count: Int {
        state.withLock { $0.waiters.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } } }
    }
}
