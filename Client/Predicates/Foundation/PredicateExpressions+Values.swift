internal import Foundation

extension PredicateExpressions.Variable: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        if let known = translator.variables[key] { return known }
        throw translator.unsupported("a variable of another predicate", "Use its own argument.")
    }
}

extension PredicateExpressions.Value: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        if let argument = value as? any PredicateArgument {
            return .of(PredicateTerm.constant(argument.predicateValue))
        }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional, mirror.children.isEmpty { return .of(PredicateTerm.constant(.null)) }
        if let raw = (value as? any RawRepresentable)?.rawValue as? any PredicateArgument {
            return .of(PredicateTerm.constant(raw.predicateValue))
        }
        throw translator.unsupported(
            "a value of the type \"\(Output.self)\"", "Make the type a PredicateArgument, or compare something else.")
    }
}

extension PredicateExpressions.KeyPath: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        let base = try translator.translate(root)
        switch (kind, base) {
        case (.collectionCount?, .filter(let path, let variable, let node)):
            return .of(PredicateTerm.subquery(path, variable: variable, node))
        case (.collectionIsEmpty?, .filter(let path, let variable, let node)):
            return .node(isZero(.subquery(path, variable: variable, node)))
        case (.collectionCount?, .terms) where !(Root.Output.self is any StringProtocol.Type):
            guard let path = base.path else { break }
            return .of(PredicateTerm.count(path))
        case (.collectionCount?, .terms):
            guard let path = base.path else { break }
            return .of(PredicateTerm.text(.length, .path(path)))
        case (.collectionIsEmpty?, .terms):
            if Root.Output.self is any StringProtocol.Type, case .terms(let terms) = base {
                let empty = TranslatedExpression.GuardedTerm(condition: .constant(true), term: .constant(.string("")))
                return .node(translator.compare(terms, .equal, [empty]))
            }
            guard let path = base.path else { break }
            return .node(isZero(.count(path)))
        default: break
        }
        guard let path = base.path else {
            throw translator.unsupported(
                "a property of a calculation", "Take properties of the record and of what its relationships lead to.")
        }
        return .of(PredicatePath(root: path.root, path.names + (try translator.name(of: keyPath))))
    }

    private func isZero(_ term: PredicateTerm) -> PredicateNode {
        .comparison(PredicateComparison(term, .equal, .constant(.integer(0))))
    }
}

// MARK: Arithmetic

extension ExpressionTranslator {
    fileprivate func arithmetic(
        _ operation: PredicateTerm.ArithmeticOperator, _ left: any PredicateExpression, _ right: any PredicateExpression
    ) throws(FetchPredicateError) -> TranslatedExpression {
        let first = try term(left)
        return .of(PredicateTerm.arithmetic(operation, first, try term(right)))
    }
}

extension PredicateExpressions.Arithmetic: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        switch op {
        case .add: return try translator.arithmetic(.add, lhs, rhs)
        case .subtract: return try translator.arithmetic(.subtract, lhs, rhs)
        case .multiply: return try translator.arithmetic(.multiply, lhs, rhs)
        @unknown default: throw translator.unsupported("the operator \"\(op)\"", "Write +, -, * or /.")
        }
    }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        try translator.arithmetic(.divide, lhs, rhs)
    }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        try translator.arithmetic(.divide, lhs, rhs)
    }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression {
        .of(PredicateTerm.arithmetic(.subtract, .constant(.integer(0)), try translator.term(wrapped)))
    }
}
