package import CekikapeyeRules
package import RoostModel

/// A person of the group, as the replica shows them.
package struct Member: Hashable, Sendable {
    /// The record.
    package let id: RecordID
    /// The same identifier, as splits write it.
    package let personID: PersonID
    /// The name.
    package let name: String
    /// Whether new expenses are for this person too unless said otherwise.
    package let isActive: Bool

    /// The end of the identifier, to tell people of one name apart.
    package var shortID: String { String(id.description.suffix(6)) }
}
