/// The syntax tree of a predicate.
package indirect enum PredicateNode: Hashable, Sendable {
    case constant(Bool)
    case comparison(PredicateComparison)
    /// At least two, none of them an `and`; make them with ``conjunction(_:)``.
    case and([PredicateNode])
    /// At least two, none of them an `or`; make them with ``disjunction(_:)``.
    case or([PredicateNode])
    case not(PredicateNode)

    /// The conjunction of `nodes`; true without nodes.
    package static func conjunction(_ nodes: [PredicateNode]) -> PredicateNode {
        let flat = nodes.flatMap { node in
            if case .and(let members) = node { members } else { [node] }
        }
        return flat.count == 1 ? flat[0] : flat.isEmpty ? .constant(true) : .and(flat)
    }

    /// The disjunction of `nodes`; false without nodes.
    package static func disjunction(_ nodes: [PredicateNode]) -> PredicateNode {
        let flat = nodes.flatMap { node in
            if case .or(let members) = node { members } else { [node] }
        }
        return flat.count == 1 ? flat[0] : flat.isEmpty ? .constant(false) : .or(flat)
    }

    /// The negation, without double NOT.
    package var negated: PredicateNode {
        switch self {
        case .not(let node): node
        case .constant(let truth): .constant(!truth)
        default: .not(self)
        }
    }
}
