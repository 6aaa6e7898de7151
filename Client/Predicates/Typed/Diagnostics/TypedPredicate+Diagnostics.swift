// Comparisons with a value of another type, and attributes among conditions. They do not compile, because a conformance that they
// need is unavailable: its message says what to write.

// MARK: A value of another type

/// Reports a value of another type than the path's.
@_documentation(visibility: internal) @_disfavoredOverload
public func == <Root, Path: ConditionPath, Other>(path: KeyPath<Root, Path>, value: Other) -> TypedPredicate<Root>
where Path.Mismatch: MismatchedOperand { .none }

/// Reports a value of another type than the term's.
@_documentation(visibility: internal) @_disfavoredOverload
public func == <Root, Value: MismatchedOperand, Other>(term: TypedTerm<Root, Value>, value: Other) -> TypedPredicate<
    Root
> {
    .none
}

/// Reports a value of another type than the path's.
@_documentation(visibility: internal) @_disfavoredOverload
public func != <Root, Path: ConditionPath, Other>(path: KeyPath<Root, Path>, value: Other) -> TypedPredicate<Root>
where Path.Mismatch: MismatchedOperand { .none }

/// Reports a value of another type than the term's.
@_documentation(visibility: internal) @_disfavoredOverload
public func != <Root, Value: MismatchedOperand, Other>(term: TypedTerm<Root, Value>, value: Other) -> TypedPredicate<
    Root
> {
    .none
}

/// Reports a value of another type than the path's.
@_documentation(visibility: internal) @_disfavoredOverload
public func < <Root, Path: ConditionPath, Other>(path: KeyPath<Root, Path>, value: Other) -> TypedPredicate<Root>
where Path.Mismatch: MismatchedOperand { .none }

/// Reports a value of another type than the term's.
@_documentation(visibility: internal) @_disfavoredOverload
public func < <Root, Value: MismatchedOperand, Other>(term: TypedTerm<Root, Value>, value: Other) -> TypedPredicate<
    Root
> {
    .none
}

/// Reports a value of another type than the path's.
@_documentation(visibility: internal) @_disfavoredOverload
public func <= <Root, Path: ConditionPath, Other>(path: KeyPath<Root, Path>, value: Other) -> TypedPredicate<Root>
where Path.Mismatch: MismatchedOperand { .none }

/// Reports a value of another type than the term's.
@_documentation(visibility: internal) @_disfavoredOverload
public func <= <Root, Value: MismatchedOperand, Other>(term: TypedTerm<Root, Value>, value: Other) -> TypedPredicate<
    Root
> {
    .none
}

/// Reports a value of another type than the path's.
@_documentation(visibility: internal) @_disfavoredOverload
public func > <Root, Path: ConditionPath, Other>(path: KeyPath<Root, Path>, value: Other) -> TypedPredicate<Root>
where Path.Mismatch: MismatchedOperand { .none }

/// Reports a value of another type than the term's.
@_documentation(visibility: internal) @_disfavoredOverload
public func > <Root, Value: MismatchedOperand, Other>(term: TypedTerm<Root, Value>, value: Other) -> TypedPredicate<
    Root
> {
    .none
}

/// Reports a value of another type than the path's.
@_documentation(visibility: internal) @_disfavoredOverload
public func >= <Root, Path: ConditionPath, Other>(path: KeyPath<Root, Path>, value: Other) -> TypedPredicate<Root>
where Path.Mismatch: MismatchedOperand { .none }

/// Reports a value of another type than the term's.
@_documentation(visibility: internal) @_disfavoredOverload
public func >= <Root, Value: MismatchedOperand, Other>(term: TypedTerm<Root, Value>, value: Other) -> TypedPredicate<
    Root
> {
    .none
}

// MARK: An attribute among conditions

/// Reports an attribute that is not compared with anything.
@_documentation(visibility: internal) @_disfavoredOverload
public prefix func ! <Root, Path: AttributeAlone>(path: KeyPath<Root, Path>) -> TypedPredicate<Root> { .none }

/// Reports an attribute that is not compared with anything.
@_documentation(visibility: internal) @_disfavoredOverload
public func && <Root, Path: AttributeAlone>(left: TypedPredicate<Root>, right: KeyPath<Root, Path>) -> TypedPredicate<
    Root
> {
    .none
}

/// Reports an attribute that is not compared with anything.
@_documentation(visibility: internal) @_disfavoredOverload
public func && <Root, Path: AttributeAlone>(left: KeyPath<Root, Path>, right: TypedPredicate<Root>) -> TypedPredicate<
    Root
> {
    .none
}

/// Reports an attribute that is not compared with anything.
@_documentation(visibility: internal) @_disfavoredOverload
public func && <Root, Path: AttributeAlone>(left: KeyPath<Root, Path>, right: KeyPath<Root, Path>) -> TypedPredicate<
    Root
> {
    .none
}

/// Reports an attribute that is not compared with anything.
@_documentation(visibility: internal) @_disfavoredOverload
public func || <Root, Path: AttributeAlone>(left: TypedPredicate<Root>, right: KeyPath<Root, Path>) -> TypedPredicate<
    Root
> {
    .none
}

/// Reports an attribute that is not compared with anything.
@_documentation(visibility: internal) @_disfavoredOverload
public func || <Root, Path: AttributeAlone>(left: KeyPath<Root, Path>, right: TypedPredicate<Root>) -> TypedPredicate<
    Root
> {
    .none
}

/// Reports an attribute that is not compared with anything.
@_documentation(visibility: internal) @_disfavoredOverload
public func || <Root, Path: AttributeAlone>(left: KeyPath<Root, Path>, right: KeyPath<Root, Path>) -> TypedPredicate<
    Root
> {
    .none
}
