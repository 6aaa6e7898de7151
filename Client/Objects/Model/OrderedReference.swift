internal import RoostModel

/// A reference whose other end is ordered: where an object that has it stands there is in another column of its own.
struct OrderedReference: Sendable {
    let column: StoredProperty
    /// The relationship at the other end.
    let relationship: PropertyID
    /// The column of the position.
    let position: Int
}
