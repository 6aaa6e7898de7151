// Comparisons of a field with a value, nil, or another field; of a computed term with a value; of a reference with a record.

extension KeyPath where Root: EntityFields {
    /// The path of the attribute as a term.
    func term<Field>() -> PredicateTerm where Value == FieldPath<Field> {
        .path(PredicatePath(dotted: Root(path: "")[keyPath: self].path))
    }

    /// The path of a relationship, or of the record itself, as a term.
    func term() -> PredicateTerm where Value: EntityFields {
        .path(PredicatePath(dotted: Root(path: "")[keyPath: self].path))
    }
}

extension Optional where Wrapped: PredicateArgument {
    fileprivate var constant: PredicateTerm { .constant(predicateValue) }
}

// MARK: A field and a value

/// Whether the field has the value; compared with nil, whether it has none.
public func == <Root, Field>(field: KeyPath<Root, FieldPath<Field>>, value: Field?) -> TypedPredicate<Root> {
    TypedPredicate(field.term(), .equal, value.constant)
}

/// Whether the field has another value, or none; compared with nil, whether it has one.
public func != <Root, Field>(field: KeyPath<Root, FieldPath<Field>>, value: Field?) -> TypedPredicate<Root> {
    TypedPredicate(field.term(), .notEqual, value.constant)
}

/// Whether the field is less than the value; false for a nil field.
public func < <Root, Field>(field: KeyPath<Root, FieldPath<Field>>, value: Field) -> TypedPredicate<Root> {
    TypedPredicate(field.term(), .less, .constant(value.predicateValue))
}

/// Whether the field is less than or equal to the value; false for a nil field.
public func <= <Root, Field>(field: KeyPath<Root, FieldPath<Field>>, value: Field) -> TypedPredicate<Root> {
    TypedPredicate(field.term(), .lessOrEqual, .constant(value.predicateValue))
}

/// Whether the field is greater than the value; false for a nil field.
public func > <Root, Field>(field: KeyPath<Root, FieldPath<Field>>, value: Field) -> TypedPredicate<Root> {
    TypedPredicate(field.term(), .greater, .constant(value.predicateValue))
}

/// Whether the field is greater than or equal to the value; false for a nil field.
public func >= <Root, Field>(field: KeyPath<Root, FieldPath<Field>>, value: Field) -> TypedPredicate<Root> {
    TypedPredicate(field.term(), .greaterOrEqual, .constant(value.predicateValue))
}

// MARK: Two fields

/// Whether both fields have equal values, or none.
public func == <Root, Field>(
    left: KeyPath<Root, FieldPath<Field>>, right: KeyPath<Root, FieldPath<Field>>
) -> TypedPredicate<Root> {
    TypedPredicate(left.term(), .equal, right.term())
}

/// Whether the fields differ.
public func != <Root, Field>(
    left: KeyPath<Root, FieldPath<Field>>, right: KeyPath<Root, FieldPath<Field>>
) -> TypedPredicate<Root> {
    TypedPredicate(left.term(), .notEqual, right.term())
}

/// Whether the left field is less than the right one; false if either is nil.
public func < <Root, Field>(
    left: KeyPath<Root, FieldPath<Field>>, right: KeyPath<Root, FieldPath<Field>>
) -> TypedPredicate<Root> {
    TypedPredicate(left.term(), .less, right.term())
}

/// Whether the left field is less than or equal to the right one; false if either is nil.
public func <= <Root, Field>(
    left: KeyPath<Root, FieldPath<Field>>, right: KeyPath<Root, FieldPath<Field>>
) -> TypedPredicate<Root> {
    TypedPredicate(left.term(), .lessOrEqual, right.term())
}

/// Whether the left field is greater than the right one; false if either is nil.
public func > <Root, Field>(
    left: KeyPath<Root, FieldPath<Field>>, right: KeyPath<Root, FieldPath<Field>>
) -> TypedPredicate<Root> {
    TypedPredicate(left.term(), .greater, right.term())
}

/// Whether the left field is greater than or equal to the right one; false if either is nil.
public func >= <Root, Field>(
    left: KeyPath<Root, FieldPath<Field>>, right: KeyPath<Root, FieldPath<Field>>
) -> TypedPredicate<Root> {
    TypedPredicate(left.term(), .greaterOrEqual, right.term())
}

// MARK: A computed term and a value

/// Whether the term has the value; compared with nil, whether it has none.
public func == <Root, Value>(left: TypedTerm<Root, Value>, right: Value?) -> TypedPredicate<Root> {
    TypedPredicate(left.term, .equal, right.constant)
}

/// Whether the term has another value, or none.
public func != <Root, Value>(left: TypedTerm<Root, Value>, right: Value?) -> TypedPredicate<Root> {
    TypedPredicate(left.term, .notEqual, right.constant)
}

/// Whether the term is less than the value; false for a nil term.
public func < <Root, Value>(left: TypedTerm<Root, Value>, right: Value) -> TypedPredicate<Root> {
    TypedPredicate(left.term, .less, .constant(right.predicateValue))
}

/// Whether the term is less than or equal to the value; false for a nil term.
public func <= <Root, Value>(left: TypedTerm<Root, Value>, right: Value) -> TypedPredicate<Root> {
    TypedPredicate(left.term, .lessOrEqual, .constant(right.predicateValue))
}

/// Whether the term is greater than the value; false for a nil term.
public func > <Root, Value>(left: TypedTerm<Root, Value>, right: Value) -> TypedPredicate<Root> {
    TypedPredicate(left.term, .greater, .constant(right.predicateValue))
}

/// Whether the term is greater than or equal to the value; false for a nil term.
public func >= <Root, Value>(left: TypedTerm<Root, Value>, right: Value) -> TypedPredicate<Root> {
    TypedPredicate(left.term, .greaterOrEqual, .constant(right.predicateValue))
}

// MARK: A reference and a record

/// Whether the relationship's target is the record; compared with nil, whether there is no target.
public func == <Root: EntityFields, Target: EntityFields>(
    reference: KeyPath<Root, Target>, record: (any PredicateReference)?
) -> TypedPredicate<Root> {
    TypedPredicate(reference.term(), .equal, .constant(record?.predicateValue ?? .null))
}

/// Whether the relationship has another target, or none; compared with nil, whether there is a target.
public func != <Root: EntityFields, Target: EntityFields>(
    reference: KeyPath<Root, Target>, record: (any PredicateReference)?
) -> TypedPredicate<Root> {
    TypedPredicate(reference.term(), .notEqual, .constant(record?.predicateValue ?? .null))
}
