/// What is computed of a record, such as how many elements a relationship has.
public struct TypedTerm<Root: EntityFields, Value: PredicateArgument>: Hashable, Sendable {
    let term: PredicateTerm

    init(_ term: PredicateTerm) {
        self.term = term
    }

    /// Whether it lies between two values, both included.
    public func isBetween(_ low: Value, _ high: Value) -> TypedPredicate<Root> {
        TypedPredicate(term, .between, .constant(.list([low.predicateValue, high.predicateValue])))
    }

    /// Whether it is one of several values.
    public func isIn(_ values: some Sequence<Value>) -> TypedPredicate<Root> {
        TypedPredicate(term, .isIn, .constant(.list(values.map(\.predicateValue))))
    }
}
