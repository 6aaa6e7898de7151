public import RoostModel

/// Objects that a fetch returns as one section, because they have a value in common.
public struct FetchedSection<Object: ManagedObject> {
    /// The value that the objects have in common. For a to-one relationship, it is the bytes of the record that they name, or nil
    /// where they name none.
    public let value: Value
    /// The objects, in the order of the request; never empty.
    public let objects: [Object]
}
