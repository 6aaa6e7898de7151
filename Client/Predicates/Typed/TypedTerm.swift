/// A value computed from a record, such as the number of elements of a relationship.
public struct TypedTerm<Root: EntityFields, Value: PredicateArgument>: Hashable, Sendable {
    let term: PredicateTerm

    init(_ term: PredicateTerm) {
        self.term = term
    }

    /// Whether the term is between two values, both included.
    public func isBetween(_ low: Value.Operand, _ high: Value.Operand) -> TypedPredicate<Root> {
        TypedPredicate(term, .between, .constant(.list([low, high].map(Value.predicateValue))))
    }

    /// Whether the term is one of several values.
    public func isIn(_ values: some Sequence<Value>) -> TypedPredicate<Root> {
        TypedPredicate(term, .isIn, .constant(.list(values.map(\.predicateValue))))
    }

    /// Whether the term is one of several whole numbers.
    public func isIn(_ values: some Sequence<some PredicateInteger>) -> TypedPredicate<Root> where Value == Int64 {
        TypedPredicate(term, .isIn, .constant(.list(values.map(\.predicateValue))))
    }
}
