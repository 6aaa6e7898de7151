/// A value computed from a record, such as the number of elements of a relationship.
public struct TypedTerm<Root: EntityFields, Value: PredicateArgument>: Hashable, Sendable {
    let term: PredicateTerm

    init(_ term: PredicateTerm) {
        self.term = term
    }

    /// Whether the term is between two values, both included.
    public func isBetween(_ low: Value, _ high: Value) -> TypedPredicate<Root> {
        TypedPredicate(term, .between, .constant(.list([low.predicateValue, high.predicateValue])))
    }

    /// Whether the term is one of several values.
    public func isIn(_ values: some Sequence<Value>) -> TypedPredicate<Root> {
        TypedPredicate(term, .isIn, .constant(.list(values.map(\.predicateValue))))
    }
}
