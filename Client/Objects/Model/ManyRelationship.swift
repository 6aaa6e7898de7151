internal import RoostModel

/// A relationship to several objects, as it is found in the tables.
struct ManyRelationship: Sendable {
    enum Form: Sendable {
        /// The objects whose stored reference names this one.
        case inverse(column: Int)
        /// The objects at the other end of links. The columns of a link are 0 `source` and 1 `target`.
        case links(link: EntityID, ownColumn: Int, otherColumn: Int)
    }

    let id: PropertyID
    let name: String
    let destination: EntityID
    let form: Form
    let relationship: Relationship
    /// The column of the destination that has its objects' positions, where they have an order of their own.
    let position: Int?
    /// Whether it is shown as one object: see ``ManagedObject/object(_:)``.
    var isSingle: Bool { relationship.isSingle }
}
