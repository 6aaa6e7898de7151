/// The path of an attribute, with the type of its values. An attribute that may be nil has the type without the nil.
public struct FieldPath<Value: PredicateArgument>: Hashable, Sendable {
    /// Names with dots between them, such as `person.name`.
    public let path: String

    public init(path: String) {
        self.path = path
    }
}
