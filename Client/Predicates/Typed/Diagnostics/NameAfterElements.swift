/// A name after that of a to-many relationship.
@_documentation(visibility: internal)
public struct NameAfterElements: Hashable, Sendable {}

@available(
    *, unavailable,
    message:
        "A relationship to several has no properties. Use any, all, none, count or sum, as in (\\Fields.lines).any(\\.price > 3)."
)
extension NameAfterElements: ExpressibleByStringLiteral {
    public init(stringLiteral name: String) {}
}
