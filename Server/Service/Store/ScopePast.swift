/// The facts that a scope keeps about its past: purged records, and ended incarnations of its history.
package struct ScopePast: Hashable, Sendable {
    /// The sequence before which a checkpoint is too old, because identifiers of records purged up to it are no longer
    /// stored.
    package var floor: UInt64 = 0
    /// The sequence of the last purge; 0 before the first.
    package var purged: UInt64 = 0
    /// The time until which replicas may bring back records that the server lost, in milliseconds since 1970; 0 for not at
    /// all.
    package var recoveringUntil: UInt64 = 0
    /// The epochs of earlier incarnations, oldest first.
    package var endedEpochs: [UInt64] = []

    package init() {}

    /// Whether replicas may bring back records that the server lost.
    package func isRecovering(at now: UInt64) -> Bool { now < recoveringUntil }
}
