// Conditions on the elements of a to-many relationship: `(\PersonFields.spendings).any(\.amount > 100_00)`.

extension KeyPath where Root: EntityFields, Value: ElementsPath {
    private func path() -> PredicatePath {
        PredicatePath(dotted: Root(path: "")[keyPath: self].path)
    }

    /// Whether at least one element satisfies the predicate.
    public func any(_ predicate: TypedPredicate<Value.Element>) -> TypedPredicate<Root> {
        count(where: predicate) > 0
    }

    /// Whether every element satisfies the predicate; true without elements.
    public func all(_ predicate: TypedPredicate<Value.Element>) -> TypedPredicate<Root> {
        count(where: !predicate) == 0
    }

    /// Whether no element satisfies the predicate.
    public func none(_ predicate: TypedPredicate<Value.Element>) -> TypedPredicate<Root> {
        count(where: predicate) == 0
    }

    /// Whether the record is among the elements.
    public func contains(_ record: some PredicateReference) -> TypedPredicate<Root> {
        TypedPredicate(.path(path()), .contains, .constant(record.predicateValue))
    }

    /// The number of elements.
    public func count() -> TypedTerm<Root, Int64> {
        TypedTerm(.count(path()))
    }

    /// The number of elements that satisfy the predicate.
    public func count(where predicate: TypedPredicate<Value.Element>) -> TypedTerm<Root, Int64> {
        let variable = predicate.node.freeVariable
        return TypedTerm(.subquery(path(), variable: variable, predicate.node.rerooted(to: .variable(variable))))
    }

    /// The sum of a field over all elements; 0 without elements.
    public func sum<Field: Numeric>(
        _ field: KeyPath<Value.Element, FieldPath<Field>>
    ) -> TypedTerm<Root, Field> {
        aggregate(.sum, field)
    }

    /// The average of a field over all elements; nil without elements.
    public func average<Field: Numeric>(
        _ field: KeyPath<Value.Element, FieldPath<Field>>
    ) -> TypedTerm<Root, Double> {
        aggregate(.average, field)
    }

    /// The smallest value of a field; nil without elements.
    public func minimum<Field>(
        _ field: KeyPath<Value.Element, FieldPath<Field>>
    ) -> TypedTerm<Root, Field> {
        aggregate(.minimum, field)
    }

    /// The largest value of a field; nil without elements.
    public func maximum<Field>(
        _ field: KeyPath<Value.Element, FieldPath<Field>>
    ) -> TypedTerm<Root, Field> {
        aggregate(.maximum, field)
    }

    private func aggregate<Field, Result>(
        _ function: PredicateTerm.Function, _ field: KeyPath<Value.Element, FieldPath<Field>>
    ) -> TypedTerm<Root, Result> {
        let names = PredicatePath(dotted: Value.Element(path: "")[keyPath: field].path).names
        return TypedTerm(.aggregate(function, path(), of: names))
    }
}
