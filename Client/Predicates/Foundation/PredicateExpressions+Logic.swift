internal import Foundation

extension PredicateExpressions.Conjunction: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        let left = try translator.node(lhs)
        return .node(.all([left, try translator.node(rhs)]))
    }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        let left = try translator.node(lhs)
        return .node(.any([left, try translator.node(rhs)]))
    }
}

extension PredicateExpressions.Negation: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        .node(try translator.node(wrapped).negated)
    }
}

extension PredicateExpressions.Equal: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        let left = try translator.value(lhs)
        return .node(translator.compare(left, .equal, try translator.value(rhs)))
    }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        let left = try translator.value(lhs)
        return .node(translator.compare(left, .notEqual, try translator.value(rhs)))
    }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        let operation: PredicateComparison.Operator
        switch op {
        case .lessThan: operation = .less
        case .lessThanOrEqual: operation = .lessOrEqual
        case .greaterThan: operation = .greater
        case .greaterThanOrEqual: operation = .greaterOrEqual
        @unknown default: throw translator.unsupported("the comparison \"\(op)\"", "Write <, <=, > or >=.")
        }
        let left = try translator.value(lhs)
        return .node(translator.compare(left, operation, try translator.value(rhs)))
    }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        let test = try translator.node(self.test)
        let first = try translator.value(trueBranch)
        let second = try translator.value(falseBranch)
        return .terms(
            first.map { .init(condition: .all([test, $0.condition]), term: $0.term) }
                + second.map { .init(condition: .all([test.negated, $0.condition]), term: $0.term) })
    }
}

// MARK: Optionals

extension PredicateExpressions.NilLiteral: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        .of(PredicateTerm.constant(.null))
    }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        try translator.translate(inner)
    }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        let first = try translator.value(lhs)
        let second = try translator.value(rhs)
        let present = first.map { item in
            TranslatedExpression.GuardedTerm(
                condition: .all([item.condition, ExpressionTranslator.isNil(item.term).negated]), term: item.term)
        }
        let absent = PredicateNode.any(first.map { .all([$0.condition, ExpressionTranslator.isNil($0.term)]) })
        let others = second.map { item in
            TranslatedExpression.GuardedTerm(condition: .all([absent, item.condition]), term: item.term)
        }
        return .terms((present + others).filter { $0.condition != .constant(false) })
    }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        let optional = try translator.translate(wrapped)
        guard let term = optional.single else {
            throw translator.unsupported("?. after a calculation", "Compare first, and join with &&.")
        }
        translator.variables[variable.key] = optional
        let inner = try translator.translate(transform)
        let present = ExpressionTranslator.isNil(term).negated
        switch inner {
        // A path through a nil reference is nil without a condition.
        case .terms where inner.path != nil: return inner
        case .terms(let terms):
            return .terms(
                terms.map { .init(condition: .all([present, $0.condition]), term: $0.term) }
                    + [.init(condition: present.negated, term: .constant(.null))])
        case .node(let node): return .optional(node, present: present)
        case .optional(let node, let innerPresent): return .optional(node, present: .all([present, innerPresent]))
        case .range, .filter: return inner
        }
    }
}
