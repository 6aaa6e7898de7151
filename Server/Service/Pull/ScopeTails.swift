package import RoostModel
internal import Synchronization

/// The ends of the scopes' logs as the last pushes left them, with each record as it is sent: a device that follows its scope closely
/// is given its page from here, and the store is not asked.
///
/// It holds what is durable and nothing else. Pushes add to it once they are; every other write empties it (``CommitQueue``), and so
/// does a commit that fails. What was read or made before that is not taken any more: ``generation`` tells.
package final class ScopeTails: Sendable {
    /// Bytes of memory for all scopes, about.
    package static let sizeMax = 4 * 1024 * 1024

    private struct State {
        var tails: [ScopeKey: ScopeTail] = [:]
        var size = 0
        var generation = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Counts how often everything was forgotten.
    package var generation: Int { state.withLock { $0.generation } }

    /// Bytes of memory that all of it takes, about.
    package var size: Int { state.withLock { $0.size } }

    /// Forgets everything: something else than a log has changed, or it is not known what has.
    func forget() {
        state.withLock { state in
            state.generation += 1
            (state.tails, state.size) = ([:], 0)
        }
    }

    /// Takes in what a push has added, once it is durable.
    ///
    /// - Parameter generation: As it was when the push read its scope.
    package func append(_ addition: LogAddition, since generation: Int) {
        change(addition.scope.key, since: generation) { tail in
            // Told in another order than they were stored: what is kept must never be behind what somebody was told is stored.
            if let held = tail, held.isPast(addition) { return tail = nil }
            if tail?.ends(where: addition) != true { tail = ScopeTail(before: addition) }
            tail?.append(addition)
        }
    }

    /// Takes note that a replica may read its scope's log.
    ///
    /// - Parameters:
    ///   - replica: As stored.
    ///   - generation: As it was before the store was asked.
    package func admit(_ replica: StoredReplica, since generation: Int) {
        change(replica.scope, since: generation) { $0?.admit(replica) }
    }

    private func change(_ key: ScopeKey, since generation: Int, _ body: (inout ScopeTail?) -> Void) {
        state.withLock { state in
            guard state.generation == generation else { return }
            state.size -= state.tails[key]?.size ?? 0
            body(&state.tails[key])
            state.size += state.tails[key]?.size ?? 0
            // The one that is written to is the one that is read.
            if state.size > Self.sizeMax {
                state.tails = state.tails.filter { $0.key == key }
                state.size = state.tails[key]?.size ?? 0
            }
        }
    }

    /// The end of a scope's log, for a replica that was admitted since anything but logs was written; `nil` where there is none.
    package func snapshot(of scope: ScopeKey, for replica: ReplicaID) -> ScopeTailSnapshot? {
        state.withLock { $0.tails[scope]?.snapshot(for: replica) }
    }
}
