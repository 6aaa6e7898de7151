package import RoostModel
internal import Synchronization

/// The replicas' positions from their pulls, until they are written to the store: a pull itself writes nothing.
///
/// If the process ends before, the stored positions are further back than the real ones, which is safe.
package final class CursorTable: Sendable {
    private struct Cursor: Equatable {
        var sequence: UInt64?
        /// The time of the last pull, in milliseconds since 1970.
        var pulled: UInt64
    }

    private let cursors = Mutex<[ScopeKey: [ReplicaID: Cursor]]>([:])

    /// Returns a replica's position, if it is not written yet.
    package func sequence(of replica: ReplicaID, in scope: ScopeKey) -> UInt64? {
        cursors.withLock { $0[scope]?[replica]?.sequence }
    }

    /// Whether replicas of a scope have pulled since the process started.
    func hasNews(of scope: ScopeKey) -> Bool { cursors.withLock { $0[scope] != nil } }

    /// Records a pull.
    ///
    /// - Parameter known: The stored cursor, for a replica without an entry here.
    func note(_ since: CheckpointSeal.Position, by replica: ReplicaID, in scope: ScopeKey, known: UInt64?, now: UInt64)
    {
        cursors.withLock { cursors in
            let before = cursors[scope]?[replica]?.sequence ?? known
            cursors[scope, default: [:]][replica] = Cursor(sequence: Self.next(before, since), pulled: now)
        }
    }

    /// Writes the recorded positions of a scope's replicas.
    func flush(_ scope: ScopeKey, to transaction: any StoreTransaction) throws {
        for (id, cursor) in cursors.withLock({ $0[scope] ?? [:] }) {
            guard var replica = try transaction.replica(id, in: scope) else { continue }
            let before = replica
            replica.cursor = cursor.sequence
            replica.pulled = max(replica.pulled, cursor.pulled)
            if replica != before { try transaction.update(replica) }
        }
    }

    /// Returns the new cursor after a pull. During a full resynchronisation, a replica still has its earlier data. A new
    /// replica has only its own pushes, and their outcomes are in the pages to come.
    private static func next(_ before: UInt64?, _ since: CheckpointSeal.Position) -> UInt64 {
        guard since.echo > since.sequence else { return since.sequence }
        return max(before ?? 0, since.sequence)
    }
}
