internal import RoostModel
internal import Synchronization

/// A cache of the codes of recently made or verified checkpoints.
///
/// A device sends the checkpoint that it received last, and all devices of a scope receive an equal one with a change. So
/// one code is computed in place of five, which took longer than reading the page.
final class RecentCodes: Sendable {
    private struct Entry {
        let scope: ScopeID
        let position: CheckpointSeal.Position
        let code: UInt64
    }

    /// The number of entries, a power of two.
    private static let count = 1024

    /// The entries, each at the index of its position's hash, until another one replaces it.
    private let entries = Mutex([Entry?](repeating: nil, count: count))

    /// Returns the code of a position.
    ///
    /// - Parameter make: Computes the code if it is not cached.
    func code(of position: CheckpointSeal.Position, _ scope: ScopeID, _ make: () -> UInt64) -> UInt64 {
        // The chain is already a hash, except at a scope's beginning.
        let place = Int(truncatingIfNeeded: position.chain ^ position.echo ^ scope.value.low) & (Self.count - 1)
        let known = entries.withLock { entries in
            entries[place].flatMap { $0.scope == scope && $0.position == position ? $0.code : nil }
        }
        if let known { return known }
        let entry = Entry(scope: scope, position: position, code: make())
        entries.withLock { $0[place] = entry }
        return entry.code
    }
}
