package import RoostModel

/// The reads that an update of the visible state makes of the copy it works on.
///
/// Slots and references are read in their state after the changes. Visibility is read as it was derived before.
package protocol LivenessSource {
    func own(_ key: RecordKey) throws -> OwnState
    /// Returns the stored references of the put slot, masked or not.
    func references(_ key: RecordKey) throws -> [Put.Reference]
    func putStamp(_ key: RecordKey) throws -> HybridTimestamp?
    func isVisible(_ key: RecordKey) throws -> Bool
    /// Returns the records with a put whose stored reference of `rule` leads to `target`.
    func referrers(_ target: RecordKey, by rule: ReferenceRules.Rule, _ filter: ReferrerFilter) throws -> [Referrer]
    /// Returns the deleted records that were shown before because a deny reference holds them.
    func keptRecords() throws -> [RecordKey]
    /// Returns the members of tree cycles whose tree reference was masked before.
    func droppedRecords() throws -> [RecordKey]
}

/// A selection of referrers.
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
