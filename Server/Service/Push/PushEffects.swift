package import RoostModel

/// What happens outside the store once a push is durable.
package struct PushEffects: Hashable, Sendable {
    /// Whether there is something new in the scope.
    package var isNews = false
    /// The one replica that knows all of it already.
    package var knownTo: ReplicaID?
    /// The sequences in which it stands; others may lie between them only if they hold nothing.
    package var news: ClosedRange<UInt64>?
    /// The epoch that the push's checkpoint showed, if that told that the server was put back to an earlier state.
    package var rollback: UInt64?
    /// Stamps that named two contents.
    package var collisions: [Collision] = []

    package struct Collision: Hashable, Sendable {
        package var record: RecordKey
        package var stamp: HybridTimestamp
    }
}
