package import RoostModel
internal import Synchronization

/// Where the replicas' pulls show them to be, until it is written to the store: a pull writes nothing by itself.
///
/// What is lost with the process makes the store take a replica to be further back than it is, which is safe.
package final class CursorTable: Sendable {
    private struct Cursor: Equatable {
        var sequence: UInt64?
        /// Milliseconds since 1970.
        var pulled: UInt64
    }

    private let cursors = Mutex<[ScopeKey: [ReplicaID: Cursor]]>([:])

    /// Where a replica stands, if that is not written yet.
    package func sequence(of replica: ReplicaID, in scope: ScopeKey) -> UInt64? {
        cursors.withLock { $0[scope]?[replica]?.sequence }
    }

    /// Whether replicas of a scope have pulled since the process began.
    func hasNews(of scope: ScopeKey) -> Bool { cursors.withLock { $0[scope] != nil } }

    /// Takes note of a pull.
    ///
    /// - Parameter known: The cursor as stored, of a replica that is not here.
    func note(_ since: CheckpointSeal.Position, by replica: ReplicaID, in scope: ScopeKey, known: UInt64?, now: UInt64)
    {
        cursors.withLock { cursors in
            let before = cursors[scope]?[replica]?.sequence ?? known
            cursors[scope, default: [:]][replica] = Cursor(sequence: Self.next(before, since), pulled: now)
        }
    }

    /// Writes what is noted of a scope's replicas.
    func flush(_ scope: ScopeKey, to transaction: any StoreTransaction) throws {
        for (id, cursor) in cursors.withLock({ $0[scope] ?? [:] }) {
            guard var replica = try transaction.replica(id, in: scope) else { continue }
            let before = replica
            replica.cursor = cursor.sequence
            replica.pulled = max(replica.pulled, cursor.pulled)
            if replica != before { try transaction.update(replica) }
        }
    }

    /// While a replica pulls everything anew, it still has what it had before. One that begins has nothing but what it pushed,
    /// and what became of that is in the pages that are still to come.
    private static func next(_ before: UInt64?, _ since: CheckpointSeal.Position) -> UInt64 {
        guard since.echo > since.sequence else { return since.sequence }
        return max(before ?? 0, since.sequence)
    }
}
