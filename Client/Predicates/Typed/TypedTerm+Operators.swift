// Comparisons of a computed term with a value.

/// Whether the term has the value; compared with nil, whether it has none.
@_disfavoredOverload
public func == <Root, Value>(left: TypedTerm<Root, Value>, right: Value.Operand?) -> TypedPredicate<Root> {
    TypedPredicate(left.term, .equal, constant(right, of: left))
}

/// Whether the term has another value, or none.
@_disfavoredOverload
public func != <Root, Value>(left: TypedTerm<Root, Value>, right: Value.Operand?) -> TypedPredicate<Root> {
    TypedPredicate(left.term, .notEqual, constant(right, of: left))
}

/// Whether the term is less than the value; false for a nil term.
@_disfavoredOverload
public func < <Root, Value>(left: TypedTerm<Root, Value>, right: Value.Operand) -> TypedPredicate<Root> {
    TypedPredicate(left.term, .less, constant(right, of: left))
}

/// Whether the term is less than or equal to the value; false for a nil term.
@_disfavoredOverload
public func <= <Root, Value>(left: TypedTerm<Root, Value>, right: Value.Operand) -> TypedPredicate<Root> {
    TypedPredicate(left.term, .lessOrEqual, constant(right, of: left))
}

/// Whether the term is greater than the value; false for a nil term.
@_disfavoredOverload
public func > <Root, Value>(left: TypedTerm<Root, Value>, right: Value.Operand) -> TypedPredicate<Root> {
    TypedPredicate(left.term, .greater, constant(right, of: left))
}

/// Whether the term is greater than or equal to the value; false for a nil term.
@_disfavoredOverload
public func >= <Root, Value>(left: TypedTerm<Root, Value>, right: Value.Operand) -> TypedPredicate<Root> {
    TypedPredicate(left.term, .greaterOrEqual, constant(right, of: left))
}

private func constant<Root, Value>(_ value: Value.Operand?, of term: TypedTerm<Root, Value>) -> PredicateTerm {
    .constant(value.map(Value.predicateValue) ?? .null)
}
