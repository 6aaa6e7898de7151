package import RoostModel

/// What an update of the visible state asks of the copy it works on.
///
/// Slots and references are read as they are now, after the changes; visibility as it was derived before.
package protocol LivenessSource {
    func own(_ key: RecordKey) throws -> OwnState
    /// The stored references of the put slot, not what they read.
    func references(_ key: RecordKey) throws -> [Put.Reference]
    func putStamp(_ key: RecordKey) throws -> HybridTimestamp?
    func isVisible(_ key: RecordKey) throws -> Bool
    /// The records with a put whose stored reference of `rule` names `target`.
    func referrers(_ target: RecordKey, by rule: ReferenceRules.Rule, _ filter: ReferrerFilter) throws -> [Referrer]
    /// The deleted records that are shown for now because a deny reference holds them.
    func keptRecords() throws -> [RecordKey]
    /// The members of tree cycles whose tree reference reads nil for now.
    func droppedRecords() throws -> [RecordKey]
}

/// Which referrers are wanted.
package enum ReferrerFilter: Hashable, Sendable {
    case visible
    case notVisible
    /// Visible or not, but with a put as their own newest change.
    case ownPut
}

/// A record that refers to another.
package struct Referrer: Hashable, Sendable {
    package var key: RecordKey
    /// Whether its own newest change is a put.
    package var isPut: Bool

    package init(key: RecordKey, isPut: Bool) {
        self.key = key
        self.isPut = isPut
    }
}
