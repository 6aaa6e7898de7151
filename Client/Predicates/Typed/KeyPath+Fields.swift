// Conditions on one attribute that are no operators: `(\Spending.Fields.note).contains("dinner", .loose)`.

extension KeyPath where Root: EntityFields {
    /// Whether the attribute is one of several values.
    public func isIn<Field>(_ values: some Sequence<Field>) -> TypedPredicate<Root> where Value == FieldPath<Field> {
        TypedPredicate(term(), .isIn, .constant(.list(values.map(\.predicateValue))))
    }

    /// Whether the attribute is in a range; the upper end of `1..<10` is not included.
    public func isBetween<Field>(
        _ range: Range<Field>
    ) -> TypedPredicate<Root> where Value == FieldPath<Field>, Field: PredicateRangeBound {
        TypedPredicate(term(), .between, .constant(range.predicateValue))
    }

    /// Whether the attribute is in a range, both ends included.
    public func isBetween<Field>(
        _ range: ClosedRange<Field>
    ) -> TypedPredicate<Root> where Value == FieldPath<Field> {
        TypedPredicate(term(), .between, .constant(range.predicateValue))
    }
}

extension KeyPath where Root: EntityFields, Value: AttributePath {
    /// Whether the attribute is between two values, both included.
    public func isBetween(_ low: Value.Operand, _ high: Value.Operand) -> TypedPredicate<Root> {
        TypedPredicate(term(), .between, .constant(.list([low, high].map(Value.predicateValue))))
    }
}

// Whole numbers of any integer type.
extension KeyPath where Root: EntityFields, Value == FieldPath<Int64> {
    /// Whether the attribute is one of several whole numbers.
    public func isIn(_ values: some Sequence<some PredicateInteger>) -> TypedPredicate<Root> {
        TypedPredicate(term(), .isIn, .constant(.list(values.map(\.predicateValue))))
    }

    /// Whether the attribute is in a range; the upper end of `1..<10` is not included.
    public func isBetween(_ range: Range<some PredicateInteger>) -> TypedPredicate<Root> {
        TypedPredicate(term(), .between, .constant(range.predicateValue))
    }

    /// Whether the attribute is in a range, both ends included.
    public func isBetween(_ range: ClosedRange<some PredicateInteger>) -> TypedPredicate<Root> {
        TypedPredicate(term(), .between, .constant(range.predicateValue))
    }
}

extension KeyPath where Root: EntityFields, Value: EntityFields {
    /// Whether the relationship leads to one of several records.
    public func isIn(_ records: some Sequence<some PredicateReference>) -> TypedPredicate<Root> {
        TypedPredicate(term(), .isIn, .constant(.list(records.map(\.predicateValue))))
    }
}

extension KeyPath where Root: EntityFields, Value: TextPath {
    private func text(
        _ operation: PredicateComparison.Operator, _ text: String, _ options: TextOptions
    ) -> TypedPredicate<Root> {
        TypedPredicate(
            .comparison(PredicateComparison(term(), operation, .constant(.string(text)), options: options)))
    }

    /// Whether the texts are equal, apart from the differences that the options ignore.
    public func equals(_ text: String, _ options: TextOptions) -> TypedPredicate<Root> {
        self.text(.equal, text, options)
    }

    /// The number of characters, as Swift and ``like(_:_:)`` count them; nil of nil.
    public func length() -> TypedTerm<Root, Int64> { TypedTerm(.text(.length, term())) }

    /// Whether the text contains `part`.
    public func contains(_ part: String, _ options: TextOptions = []) -> TypedPredicate<Root> {
        text(.contains, part, options)
    }

    /// Whether the text starts with `part`.
    public func beginsWith(_ part: String, _ options: TextOptions = []) -> TypedPredicate<Root> {
        text(.beginsWith, part, options)
    }

    /// Whether the text ends with `part`.
    public func endsWith(_ part: String, _ options: TextOptions = []) -> TypedPredicate<Root> {
        text(.endsWith, part, options)
    }

    /// Whether the pattern matches the entire text: `*` matches any characters, `?` matches one.
    public func like(_ pattern: String, _ options: TextOptions = []) -> TypedPredicate<Root> {
        text(.like, pattern, options)
    }

    /// Whether the regular expression matches the entire text.
    public func matches(_ expression: String, _ options: TextOptions = []) -> TypedPredicate<Root> {
        text(.matches, expression, options)
    }
}
