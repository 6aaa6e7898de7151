internal import RoostModel

/// A reference whose inverse is ordered. Another column of the referring object holds its position in that order.
struct OrderedReference: Sendable {
    let column: StoredProperty
    /// The ordered relationship at the other end.
    let relationship: PropertyID
    /// The index of the column that holds the position.
    let position: Int
}
