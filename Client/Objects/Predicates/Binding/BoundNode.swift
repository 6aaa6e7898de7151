internal import RoostModel

/// A predicate whose names are looked up and whose types are checked.
package indirect enum BoundNode: Hashable, Sendable {
    /// Comparisons of two single values.
    package enum Operator: Hashable, Sendable {
        case equal, notEqual
        case less, lessOrEqual, greater, greaterOrEqual
        case beginsWith, endsWith, contains, like, matches
    }

    case constant(Bool)
    case and([BoundNode])
    case or([BoundNode])
    case not(BoundNode)
    case compare(BoundTerm, Operator, BoundTerm, TextOptions)
    case between(BoundTerm, BoundTerm, BoundTerm, TextOptions)
    case member(BoundTerm, ValueSet, TextOptions)
    /// Whether an element of the collection satisfies the node.
    case exists(BoundCollection, BoundNode)

    /// How many levels the predicate has.
    var depth: Int {
        switch self {
        case .constant: 0
        case .and(let nodes), .or(let nodes): 1 + (nodes.map(\.depth).max() ?? 0)
        case .not(let node), .exists(_, let node): 1 + node.depth
        case .compare(let left, _, let right, _): max(left.depth, right.depth)
        case .between(let term, let low, let high, _): max(term.depth, low.depth, high.depth)
        case .member(let term, _, _): term.depth
        }
    }
}
