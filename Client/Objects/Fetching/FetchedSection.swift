public import RoostModel

/// Objects that a fetch gives together, because they have a value in common.
public struct FetchedSection<Object: ManagedObject> {
    /// What they have in common; of a to-one relationship the bytes of the record that they name, nil where they name none.
    public let value: Value
    /// In the order of the request; never empty.
    public let objects: [Object]
}
