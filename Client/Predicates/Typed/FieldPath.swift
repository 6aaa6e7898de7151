/// The path of an attribute, with the type of its values; an optional attribute has the wrapped type.
public struct FieldPath<Value: PredicateArgument>: Hashable, Sendable {
    /// Names with dots between them, such as `person.name`.
    public let path: String

    /// Makes the path of an attribute. ``EntityFields/attribute(_:)`` does so for the fields of an entity.
    public init(path: String) {
        self.path = path
    }
}
