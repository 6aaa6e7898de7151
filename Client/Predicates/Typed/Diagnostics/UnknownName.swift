/// A name that no property of an entity has.
@_documentation(visibility: internal)
public struct UnknownName: Hashable, Sendable {}

@available(*, unavailable, message: "The entity has no property of this name. Its class has the names in Fields.")
extension UnknownName: ExpressibleByStringLiteral {
    public init(stringLiteral name: String) {}
}
