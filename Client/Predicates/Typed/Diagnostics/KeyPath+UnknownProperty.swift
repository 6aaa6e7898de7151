// Conditions on names that no property has: see UnknownProperty.

@_documentation(visibility: internal)
extension KeyPath where Root: EntityFields, Value == UnknownProperty {
    /// Reports the unknown name.
    public func isIn(_ values: Any) -> TypedPredicate<Root> { .none }

    /// Reports the unknown name.
    public func isBetween(_ range: Any) -> TypedPredicate<Root> { .none }
}

@_documentation(visibility: internal)
extension KeyPath where Root: EntityFields, Value: ElementsPath {
    /// Reports the unknown name.
    public func sum(_ property: KeyPath<Value.Element, UnknownProperty>) -> TypedTerm<Root, UnknownProperty> {
        TypedTerm(.constant(.null))
    }

    /// Reports the unknown name.
    public func average(_ property: KeyPath<Value.Element, UnknownProperty>) -> TypedTerm<Root, UnknownProperty> {
        TypedTerm(.constant(.null))
    }

    /// Reports the unknown name.
    public func minimum(_ property: KeyPath<Value.Element, UnknownProperty>) -> TypedTerm<Root, UnknownProperty> {
        TypedTerm(.constant(.null))
    }

    /// Reports the unknown name.
    public func maximum(_ property: KeyPath<Value.Element, UnknownProperty>) -> TypedTerm<Root, UnknownProperty> {
        TypedTerm(.constant(.null))
    }
}
