internal import RoostModel

/// A relationship to several objects, as the tables store it.
struct ManyRelationship: Sendable {
    enum Form: Sendable {
        /// The objects of the destination whose reference in this column names the owner.
        case inverse(column: Int)
        /// The objects at the other end of links. The columns of a link are 0 `source` and 1 `target`.
        case links(link: EntityID, ownColumn: Int, otherColumn: Int)
    }

    let id: PropertyID
    let name: String
    let destination: EntityID
    let form: Form
    let relationship: Relationship
    /// The index of the destination's column that holds the objects' positions; `nil` where the relationship has no order of its
    /// own.
    let position: Int?
    /// Whether the relationship is a single end, shown as one object; see ``ManagedObject/object(_:)``.
    var isSingle: Bool { relationship.isSingle }
}
