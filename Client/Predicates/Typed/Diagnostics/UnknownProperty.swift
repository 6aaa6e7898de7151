// The compiler's errors for names that no property has.
//
// Without these types an unknown name in a key path whose root is inferred is never named: the compiler prefers any other reading
// of the expression, and tries all of them first (decision 233). With them every name is valid until the expression is
// understood, and then its literal is an error at the name. No code that uses one of them compiles.

/// The end of a key path with a name that no property has.
@_documentation(visibility: internal)
@dynamicMemberLookup
public struct UnknownProperty: Hashable, Sendable {
    /// Names with dots between them, up to the unknown one.
    public let path: String

    package init(path: String) {
        self.path = path
    }

    /// Accepts any name after the unknown one, so that only that one is an error.
    public subscript(dynamicMember name: String) -> UnknownProperty { self }
}

extension UnknownProperty: PredicateArgument, TextPath, ElementsPath {
    public typealias Operand = Any
    public typealias Mismatch = UnknownProperty
    public typealias Value = UnknownProperty
    public typealias Element = UnknownFields

    public var predicateValue: PredicateValue { .null }

    public static func predicateValue(of operand: Any) -> PredicateValue { .null }
}
