package import RoostModel
internal import Synchronization

/// The ends of the scopes' logs as the last pushes left them, with each record in its encoded form. A device that follows
/// its scope closely gets its page from here, without a query of the store.
///
/// It contains only durable data. Pushes append to it once they are durable. Every other write clears it (``CommitQueue``),
/// and so does a failed commit. Data that was read or made before that is refused, by its ``generation``.
package final class ScopeTails: Sendable {
    /// The approximate maximum bytes of memory for all scopes.
    package static let sizeMax = 4 * 1024 * 1024

    private struct State {
        var tails: [ScopeKey: ScopeTail] = [:]
        var size = 0
        var generation = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of times that all tails were cleared.
    package var generation: Int { state.withLock { $0.generation } }

    /// The approximate bytes of memory of all tails.
    package var size: Int { state.withLock { $0.size } }

    /// Clears all tails, because other data than a log has changed, or may have.
    func forget() {
        state.withLock { state in
            state.generation += 1
            (state.tails, state.size) = ([:], 0)
        }
    }

    /// Appends a push's addition, once it is durable.
    ///
    /// - Parameter generation: The generation when the push read its scope.
    package func append(_ addition: LogAddition, since generation: Int) {
        change(addition.scope.key, since: generation) { tail in
            // Additions may arrive in another order than they were stored. The tail must never be older than a write that a
            // caller already counts as stored.
            if let held = tail, held.isPast(addition) { return tail = nil }
            if tail?.ends(where: addition) != true { tail = ScopeTail(before: addition) }
            tail?.append(addition)
        }
    }

    /// Records that a replica may read its scope's log.
    ///
    /// - Parameters:
    ///   - replica: The replica as stored.
    ///   - generation: The generation before the store was queried.
    package func admit(_ replica: StoredReplica, since generation: Int) {
        change(replica.scope, since: generation) { $0?.admit(replica) }
    }

    private func change(_ key: ScopeKey, since generation: Int, _ body: (inout ScopeTail?) -> Void) {
        state.withLock { state in
            guard state.generation == generation else { return }
            state.size -= state.tails[key]?.size ?? 0
            body(&state.tails[key])
            state.size += state.tails[key]?.size ?? 0
            // The scope that is written to is the one that will be read.
            if state.size > Self.sizeMax {
                state.tails = state.tails.filter { $0.key == key }
                state.size = state.tails[key]?.size ?? 0
            }
        }
    }

    /// Returns the end of a scope's log, for a replica that was admitted since the last clearing; `nil` if there is none.
    package func snapshot(of scope: ScopeKey, for replica: ReplicaID) -> ScopeTailSnapshot? {
        state.withLock { $0.tails[scope]?.snapshot(for: replica) }
    }
}
