internal import RoostModel

/// The tree of a predicate whose names are resolved and whose types are checked.
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
}
