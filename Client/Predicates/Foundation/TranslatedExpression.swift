/// What a part of a predicate of Foundation means here.
enum TranslatedExpression {
    /// A term that is taken where its condition holds.
    struct GuardedTerm {
        var condition: PredicateNode
        var term: PredicateTerm
    }

    /// A value: exactly one of the conditions holds.
    case terms([GuardedTerm])
    case node(PredicateNode)
    /// A truth that is nil unless `present` holds.
    case optional(PredicateNode, present: PredicateNode)
    /// The values from one to another.
    case range(TranslatedValue, TranslatedValue, includesLast: Bool)
    /// The elements of a to-many relationship that satisfy a predicate.
    case filter(PredicatePath, variable: String, PredicateNode)

    static func of(_ path: PredicatePath) -> TranslatedExpression { .of(PredicateTerm.path(path)) }

    static func of(_ term: PredicateTerm) -> TranslatedExpression {
        .terms([GuardedTerm(condition: .constant(true), term: term)])
    }

    /// The one term that this is, whatever holds.
    var single: PredicateTerm? {
        guard case .terms(let terms) = self, terms.count == 1 else { return nil }
        return terms[0].term
    }

    var path: PredicatePath? {
        if case .path(let path)? = single { path } else { nil }
    }
}

/// The terms of a value.
typealias TranslatedValue = [TranslatedExpression.GuardedTerm]

extension PredicateNode {
    /// All of `nodes`, without those that say nothing.
    static func all(_ nodes: [PredicateNode]) -> PredicateNode {
        nodes.contains(.constant(false)) ? .constant(false) : .conjunction(nodes.filter { $0 != .constant(true) })
    }

    /// Any of `nodes`, without those that say nothing.
    static func any(_ nodes: [PredicateNode]) -> PredicateNode {
        nodes.contains(.constant(true)) ? .constant(true) : .disjunction(nodes.filter { $0 != .constant(false) })
    }
}
