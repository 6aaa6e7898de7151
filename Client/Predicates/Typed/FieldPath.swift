/// The path of an attribute, with the type of its values; an optional attribute has the wrapped type.
@dynamicMemberLookup
public struct FieldPath<Value: PredicateArgument>: Hashable, Sendable {
    /// Names with dots between them, such as `person.name`.
    public let path: String

    /// Makes the path of an attribute. ``EntityFields/attribute(_:)`` does so for the fields of an entity.
    public init(path: String) {
        self.path = path
    }

    /// Reports a name after that of an attribute. Its argument makes it an error to use it.
    @_documentation(visibility: internal)
    public subscript(dynamicMember name: NameAfterAttribute) -> UnknownProperty { UnknownProperty(path: path) }
}

extension FieldPath: AttributePath {
    public typealias Operand = Value.Operand
    public typealias Mismatch = Value

    public static func predicateValue(of operand: Value.Operand) -> PredicateValue { Value.predicateValue(of: operand) }
}

extension FieldPath: TextPath where Value == String {}
