/// A name after that of an attribute.
@_documentation(visibility: internal)
public struct NameAfterAttribute: Hashable, Sendable {}

@available(
    *, unavailable,
    message: "An attribute has no properties. Write a method after the path, as in (\\Fields.name).length() > 3."
)
extension NameAfterAttribute: ExpressibleByStringLiteral {
    public init(stringLiteral name: String) {}
}
