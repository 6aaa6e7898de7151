internal import Foundation

// MARK: Texts

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        let text = try translator.value(base)
        return .node(translator.compare(text, .contains, try translator.value(other)))
    }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        let text = try translator.value(base)
        return .node(translator.compare(text, .beginsWith, try translator.value(prefix)))
    }
}

// MARK: Ranges

extension PredicateExpressions.Range: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        let first = try translator.value(lower)
        return .range(first, try translator.value(upper), includesLast: false)
    }
}

extension PredicateExpressions.ClosedRange: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        let first = try translator.value(lower)
        return .range(first, try translator.value(upper), includesLast: true)
    }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        let element = try translator.value(self.element)
        let range = try translator.translate(self.range)
        if case .range(let low, let high, let includesLast) = range {
            let below = translator.compare(element, includesLast ? .lessOrEqual : .less, high)
            return .node(.all([translator.compare(low, .lessOrEqual, element), below]))
        }
        guard case .terms(let ends) = range else {
            throw translator.unsupported("such a range", "Compare with both ends.")
        }
        return .node(translator.compare(element, .between, ends))
    }
}

// MARK: Lists and relationships

extension PredicateExpressions.SequenceContains: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        let members = try translator.value(sequence)
        let element = try translator.value(self.element)
        if case .constant? = members.first?.term { return .node(translator.compare(element, .isIn, members)) }
        return .node(translator.compare(members, .contains, element))
    }
}

extension ExpressionTranslator {
    /// The elements of a relationship that satisfy a condition, with a variable for them.
    fileprivate func elements(
        _ sequence: any PredicateExpression, _ variable: PredicateExpressions.VariableID,
        _ test: any PredicateExpression
    ) throws(FetchPredicateError) -> (path: PredicatePath, variable: String, node: PredicateNode) {
        let collection = try translate(sequence)
        let name = newVariable()
        variables[variable] = .of(PredicatePath(root: .variable(name), []))
        let node = try self.node(test)
        if let path = collection.path { return (path, name, node) }
        if case .filter(let path, let outer, let filter) = collection {
            // A filter of a filter: an element satisfies both conditions.
            let same = node.rerooted(from: .variable(name), to: .variable(outer))
            return (path, outer, .all([filter, same]))
        }
        throw unsupported("the elements of a list of its own", "Write list.contains(value).")
    }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        let (path, variable, node) = try translator.elements(sequence, self.variable.key, test)
        let count = PredicateTerm.subquery(path, variable: variable, node)
        return .node(.comparison(PredicateComparison(count, .greater, .constant(.integer(0)))))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        let (path, variable, node) = try translator.elements(sequence, self.variable.key, test)
        let count = PredicateTerm.subquery(path, variable: variable, node.negated)
        return .node(.comparison(PredicateComparison(count, .equal, .constant(.integer(0)))))
    }
}

extension PredicateExpressions.Filter: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        let (path, variable, node) = try translator.elements(sequence, self.variable.key, filter)
        return .filter(path, variable: variable, node)
    }
}
