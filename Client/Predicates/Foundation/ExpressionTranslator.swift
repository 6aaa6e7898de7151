internal import Foundation

/// A node of a Foundation predicate that can be translated.
protocol TranslatableExpression {
    func translated(_ translator: ExpressionTranslator) throws(FetchPredicateError) -> TranslatedExpression
}

/// Translates the expression tree of a Foundation predicate.
final class ExpressionTranslator {
    private let names: [AnyKeyPath: String]
    /// The translations of closure variables.
    var variables: [PredicateExpressions.VariableID: TranslatedExpression] = [:]
    private var variableCount = 0

    init(_ names: [AnyKeyPath: String]) {
        self.names = names
    }

    func newVariable() -> String {
        variableCount += 1
        return "each\(variableCount)"
    }

    func unsupported(_ what: String, _ cure: String) -> FetchPredicateError {
        FetchPredicateError(.unsupported, "A predicate with \(what) cannot be carried out here. \(cure)", text: "")
    }

    func translate(_ expression: any PredicateExpression) throws(FetchPredicateError) -> TranslatedExpression {
        if let known = expression as? any TranslatableExpression { return try known.translated(self) }
        // The type's name without its generic arguments, which can be long.
        let name = "\(type(of: expression))".prefix { $0 != "<" }
        throw unsupported(
            "\"\(name)\"", "Write it with comparisons, contains and starts(with:), or in the format language.")
    }

    func name(of keyPath: AnyKeyPath) throws(FetchPredicateError) -> [String] {
        guard let name = names[keyPath] else {
            throw FetchPredicateError(
                .unknownProperty,
                "The key path \(keyPath) has no name. Add it to the names that go with the predicate.",
                text: "")
        }
        return name.split(separator: ".").map(String.init)
    }

    // MARK: Forms

    func node(_ expression: any PredicateExpression) throws(FetchPredicateError) -> PredicateNode {
        switch try translate(expression) {
        case .node(let node): return node
        case .terms(let terms): return .any(terms.map { .all([$0.condition, Self.isTrue($0.term)]) })
        case .optional(let node, let present): return .all([present, node])
        case .range, .filter: throw unsupported("a collection in place of a condition", "Compare its count.")
        }
    }

    func value(_ expression: any PredicateExpression) throws(FetchPredicateError) -> TranslatedValue {
        switch try translate(expression) {
        case .terms(let terms): return terms
        case .node(let node):
            return [
                .init(condition: node, term: .constant(.boolean(true))),
                .init(condition: node.negated, term: .constant(.boolean(false))),
            ]
        case .optional(let node, let present):
            return [
                .init(condition: .all([present, node]), term: .constant(.boolean(true))),
                .init(condition: .all([present, node.negated]), term: .constant(.boolean(false))),
                .init(condition: present.negated, term: .constant(.null)),
            ]
        case .range, .filter: throw unsupported("a collection in place of a value", "Compare its count.")
        }
    }

    /// Translates an expression to one unconditional term.
    func term(_ expression: any PredicateExpression) throws(FetchPredicateError) -> PredicateTerm {
        if let term = try translate(expression).single { return term }
        throw unsupported("a calculation with ??, if or a condition in it", "Compare first, and join with || and &&.")
    }

    static func isTrue(_ term: PredicateTerm) -> PredicateNode {
        if case .constant(let value) = term { return .constant(value == .boolean(true)) }
        return .comparison(PredicateComparison(term, .equal, .constant(.boolean(true))))
    }

    static func isNil(_ term: PredicateTerm) -> PredicateNode {
        if case .constant(let value) = term { return .constant(value == .null) }
        return .comparison(PredicateComparison(term, .equal, .constant(.null)))
    }

    /// Compares every alternative of one side with every alternative of the other.
    func compare(
        _ left: TranslatedValue, _ operation: PredicateComparison.Operator, _ right: TranslatedValue
    ) -> PredicateNode {
        .any(
            left.flatMap { first in
                right.map { second in
                    .all([first.condition, second.condition, compare(first.term, operation, second.term)])
                }
            })
    }

    private func compare(
        _ left: PredicateTerm, _ operation: PredicateComparison.Operator, _ right: PredicateTerm
    ) -> PredicateNode {
        // `?.` and `??` leave comparisons of two boolean constants.
        if case .constant(let first) = left, case .constant(let second) = right {
            if operation == .equal { return .constant(first == second) }
            if operation == .notEqual { return .constant(first != second) }
        }
        return .comparison(PredicateComparison(left, operation, right))
    }
}
