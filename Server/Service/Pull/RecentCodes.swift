internal import RoostModel
internal import Synchronization

/// The codes of checkpoints that were made or shown lately.
///
/// A device shows the checkpoint that it was given last, and all devices of a scope are given the same one with a change: five codes
/// for each, which took longer than reading the page, are one.
final class RecentCodes: Sendable {
    private struct Entry {
        let scope: ScopeID
        let position: CheckpointSeal.Position
        let code: UInt64
    }

    /// A power of two.
    private static let count = 1024

    /// Each at the place that its position leads to, until another one takes that.
    private let entries = Mutex([Entry?](repeating: nil, count: count))

    /// - Parameter make: Computes the code where it is not known.
    func code(of position: CheckpointSeal.Position, _ scope: ScopeID, _ make: () -> UInt64) -> UInt64 {
        // The chain is a hash already, but for a scope's beginning.
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
