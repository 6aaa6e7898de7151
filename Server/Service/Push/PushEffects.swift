package import RoostModel

/// What happens outside the store once a push is durable.
package struct PushEffects: Hashable, Sendable {
    /// The sequences of what is new in the scope, from its first to its last.
    package var news: ClosedRange<UInt64>?
    /// The one replica that knows all of it already.
    package var knownTo: ReplicaID?
    /// The epoch that the push's checkpoint showed, if that told that the server was put back to an earlier state.
    package var rollback: UInt64?
    /// What the push has added to the scope's log; `nil` where it changed nothing of the scope.
    package var addition: LogAddition?
    /// Stamps that named two contents.
    package var collisions: [Collision] = []

    package struct Collision: Hashable, Sendable {
        package var record: RecordKey
        package var stamp: HybridTimestamp
    }
}
