// Conditions on the elements of a to-many relationship: `(\PersonFields.spendings).any(\.amount > 100_00)`.

extension KeyPath where Root: EntityFields {
    private func path<Element>() -> PredicatePath where Value == ManyFields<Element> {
        PredicatePath(dotted: Root(path: "")[keyPath: self].path)
    }

    /// Whether at least one element satisfies the predicate.
    public func any<Element>(
        _ predicate: TypedPredicate<Element>
    ) -> TypedPredicate<Root> where Value == ManyFields<Element> {
        count(where: predicate) > 0
    }

    /// Whether every element satisfies the predicate; true without elements.
    public func all<Element>(
        _ predicate: TypedPredicate<Element>
    ) -> TypedPredicate<Root> where Value == ManyFields<Element> {
        count(where: !predicate) == 0
    }

    /// Whether no element satisfies the predicate.
    public func none<Element>(
        _ predicate: TypedPredicate<Element>
    ) -> TypedPredicate<Root> where Value == ManyFields<Element> {
        count(where: predicate) == 0
    }

    /// Whether the record is among the elements.
    public func contains<Element>(
        _ record: some PredicateReference
    ) -> TypedPredicate<Root> where Value == ManyFields<Element> {
        TypedPredicate(.path(path()), .contains, .constant(record.predicateValue))
    }

    /// The number of elements.
    public func count<Element>() -> TypedTerm<Root, Int64> where Value == ManyFields<Element> {
        TypedTerm(.count(path()))
    }

    /// The number of elements that satisfy the predicate.
    public func count<Element>(
        where predicate: TypedPredicate<Element>
    ) -> TypedTerm<Root, Int64> where Value == ManyFields<Element> {
        let variable = predicate.node.freeVariable
        return TypedTerm(.subquery(path(), variable: variable, predicate.node.rerooted(to: .variable(variable))))
    }

    /// The sum of a field over all elements; 0 without elements.
    public func sum<Element, Field: Numeric>(
        _ field: KeyPath<Element, FieldPath<Field>>
    ) -> TypedTerm<Root, Field> where Value == ManyFields<Element> {
        aggregate(.sum, field)
    }

    /// The average of a field over all elements; nil without elements.
    public func average<Element, Field: Numeric>(
        _ field: KeyPath<Element, FieldPath<Field>>
    ) -> TypedTerm<Root, Double> where Value == ManyFields<Element> {
        aggregate(.average, field)
    }

    /// The smallest value of a field; nil without elements.
    public func minimum<Element, Field>(
        _ field: KeyPath<Element, FieldPath<Field>>
    ) -> TypedTerm<Root, Field> where Value == ManyFields<Element> {
        aggregate(.minimum, field)
    }

    /// The largest value of a field; nil without elements.
    public func maximum<Element, Field>(
        _ field: KeyPath<Element, FieldPath<Field>>
    ) -> TypedTerm<Root, Field> where Value == ManyFields<Element> {
        aggregate(.maximum, field)
    }

    private func aggregate<Element, Field, Result>(
        _ function: PredicateTerm.Function, _ field: KeyPath<Element, FieldPath<Field>>
    ) -> TypedTerm<Root, Result> where Value == ManyFields<Element> {
        let names = PredicatePath(dotted: Element(path: "")[keyPath: field].path).names
        return TypedTerm(.aggregate(function, path(), of: names))
    }
}
