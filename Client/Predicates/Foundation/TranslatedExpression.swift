/// The translation of a part of a Foundation predicate.
enum TranslatedExpression {
    /// A term that applies if its condition holds.
    struct GuardedTerm {
        var condition: PredicateNode
        var term: PredicateTerm
    }

    /// A value: exactly one of the conditions holds.
    case terms([GuardedTerm])
    case node(PredicateNode)
    /// A boolean that is nil unless `present` holds.
    case optional(PredicateNode, present: PredicateNode)
    /// A range of values.
    case range(TranslatedValue, TranslatedValue, includesLast: Bool)
    /// The elements of a to-many relationship that satisfy a predicate.
    case filter(PredicatePath, variable: String, PredicateNode)

    static func of(_ path: PredicatePath) -> TranslatedExpression { .of(PredicateTerm.path(path)) }

    static func of(_ term: PredicateTerm) -> TranslatedExpression {
        .terms([GuardedTerm(condition: .constant(true), term: term)])
    }

    /// The term of an unconditional value.
    var single: PredicateTerm? {
        guard case .terms(let terms) = self, terms.count == 1 else { return nil }
        return terms[0].term
    }

    var path: PredicatePath? {
        if case .path(let path)? = single { path } else { nil }
    }
}

/// The alternatives of a value.
typealias TranslatedValue = [TranslatedExpression.GuardedTerm]

extension PredicateNode {
    /// The conjunction of `nodes`, simplified by constants.
    static func all(_ nodes: [PredicateNode]) -> PredicateNode {
        nodes.contains(.constant(false)) ? .constant(false) : .conjunction(nodes.filter { $0 != .constant(true) })
    }

    /// The disjunction of `nodes`, simplified by constants.
    static func any(_ nodes: [PredicateNode]) -> PredicateNode {
        nodes.contains(.constant(true)) ? .constant(true) : .disjunction(nodes.filter { $0 != .constant(false) })
    }
}
