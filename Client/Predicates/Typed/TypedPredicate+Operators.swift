// Comparisons of what a key path leads to with a value, and of two attributes.
//
// The comparison with a value is the one that the compiler has to find first, so all others are disfavored (decision 233).

extension KeyPath where Root: EntityFields, Value: ConditionPath {
    /// The path of an attribute, of a relationship, or of the record itself, as a term.
    func term() -> PredicateTerm { .path(PredicatePath(dotted: Root(path: "")[keyPath: self].path)) }
}

// MARK: A path and a value

/// Whether the attribute has the value, or the relationship leads to the record; compared with nil, whether there is none.
public func == <Root, Path: ConditionPath>(path: KeyPath<Root, Path>, value: Path.Operand?) -> TypedPredicate<Root> {
    TypedPredicate(path.term(), .equal, constant(value, of: path))
}

/// Whether the attribute has another value, or the relationship leads to another record, or there is none; compared with nil,
/// whether there is one.
public func != <Root, Path: ConditionPath>(path: KeyPath<Root, Path>, value: Path.Operand?) -> TypedPredicate<Root> {
    TypedPredicate(path.term(), .notEqual, constant(value, of: path))
}

/// Whether the attribute is less than the value; false for a nil attribute.
public func < <Root, Path: AttributePath>(path: KeyPath<Root, Path>, value: Path.Operand) -> TypedPredicate<Root> {
    TypedPredicate(path.term(), .less, constant(value, of: path))
}

/// Whether the attribute is less than or equal to the value; false for a nil attribute.
public func <= <Root, Path: AttributePath>(path: KeyPath<Root, Path>, value: Path.Operand) -> TypedPredicate<Root> {
    TypedPredicate(path.term(), .lessOrEqual, constant(value, of: path))
}

/// Whether the attribute is greater than the value; false for a nil attribute.
public func > <Root, Path: AttributePath>(path: KeyPath<Root, Path>, value: Path.Operand) -> TypedPredicate<Root> {
    TypedPredicate(path.term(), .greater, constant(value, of: path))
}

/// Whether the attribute is greater than or equal to the value; false for a nil attribute.
public func >= <Root, Path: AttributePath>(path: KeyPath<Root, Path>, value: Path.Operand) -> TypedPredicate<Root> {
    TypedPredicate(path.term(), .greaterOrEqual, constant(value, of: path))
}

private func constant<Root, Path: ConditionPath>(_ value: Path.Operand?, of path: KeyPath<Root, Path>) -> PredicateTerm
{
    .constant(value.map(Path.predicateValue) ?? .null)
}

// MARK: Two attributes

/// Whether both attributes have equal values, or none.
@_disfavoredOverload
public func == <Root, Field>(
    left: KeyPath<Root, FieldPath<Field>>, right: KeyPath<Root, FieldPath<Field>>
) -> TypedPredicate<Root> {
    TypedPredicate(left.term(), .equal, right.term())
}

/// Whether the attributes differ.
@_disfavoredOverload
public func != <Root, Field>(
    left: KeyPath<Root, FieldPath<Field>>, right: KeyPath<Root, FieldPath<Field>>
) -> TypedPredicate<Root> {
    TypedPredicate(left.term(), .notEqual, right.term())
}

/// Whether the left attribute is less than the right one; false if either is nil.
@_disfavoredOverload
public func < <Root, Field>(
    left: KeyPath<Root, FieldPath<Field>>, right: KeyPath<Root, FieldPath<Field>>
) -> TypedPredicate<Root> {
    TypedPredicate(left.term(), .less, right.term())
}

/// Whether the left attribute is less than or equal to the right one; false if either is nil.
@_disfavoredOverload
public func <= <Root, Field>(
    left: KeyPath<Root, FieldPath<Field>>, right: KeyPath<Root, FieldPath<Field>>
) -> TypedPredicate<Root> {
    TypedPredicate(left.term(), .lessOrEqual, right.term())
}

/// Whether the left attribute is greater than the right one; false if either is nil.
@_disfavoredOverload
public func > <Root, Field>(
    left: KeyPath<Root, FieldPath<Field>>, right: KeyPath<Root, FieldPath<Field>>
) -> TypedPredicate<Root> {
    TypedPredicate(left.term(), .greater, right.term())
}

/// Whether the left attribute is greater than or equal to the right one; false if either is nil.
@_disfavoredOverload
public func >= <Root, Field>(
    left: KeyPath<Root, FieldPath<Field>>, right: KeyPath<Root, FieldPath<Field>>
) -> TypedPredicate<Root> {
    TypedPredicate(left.term(), .greaterOrEqual, right.term())
}
