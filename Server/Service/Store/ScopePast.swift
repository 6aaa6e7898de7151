/// What a scope remembers of what is no longer there: what was purged, and incarnations of its history that ended.
package struct ScopePast: Hashable, Sendable {
    /// A checkpoint before this sequence is too old: names of records purged up to it are no longer kept.
    package var floor: UInt64 = 0
    /// The sequence of the last purge; 0 before the first.
    package var purged: UInt64 = 0
    /// Milliseconds since 1970 until which replicas may bring back what the server lost; 0 for not at all.
    package var recoveringUntil: UInt64 = 0
    /// The epochs of earlier incarnations, oldest first.
    package var endedEpochs: [UInt64] = []

    package init() {}

    /// Whether replicas may bring back what the server lost.
    package func isRecovering(at now: UInt64) -> Bool { now < recoveringUntil }
}
