package import CekikapeyeRules
package import RoostModel

/// A person of the group, as stored in the replica.
package struct Member: Hashable, Sendable {
    /// The record's identifier.
    package let id: RecordID
    /// The identifier in the form that splits contain.
    package let personID: PersonID
    /// The name.
    package let name: String
    /// Whether the person takes part in new expenses by default.
    package let isActive: Bool

    /// The end of the identifier, which distinguishes people with equal names.
    package var shortID: String { String(id.description.suffix(6)) }
}
