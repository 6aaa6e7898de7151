package import RoostModel

/// The effects outside the store once a push is durable.
package struct PushEffects: Hashable, Sendable {
    /// The sequences of the scope's new changes, from the first to the last.
    package var news: ClosedRange<UInt64>?
    /// The single replica that already has all of them; `nil` if there is none.
    package var knownTo: ReplicaID?
    /// The epoch of the push's checkpoint, if that revealed a rollback of the server.
    package var rollback: UInt64?
    /// The addition to the scope's log; `nil` if the push changed nothing of the scope.
    package var addition: LogAddition?
    /// The stamps that identified two contents.
    package var collisions: [Collision] = []

    package struct Collision: Hashable, Sendable {
        package var record: RecordKey
        package var stamp: HybridTimestamp
    }
}
