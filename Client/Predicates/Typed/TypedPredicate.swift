/// A predicate on the records of one entity, built from its fields.
public struct TypedPredicate<Root: EntityFields>: Hashable, Sendable, CustomStringConvertible {
    let node: PredicateNode

    init(_ node: PredicateNode) {
        self.node = node
    }

    init(_ left: PredicateTerm, _ operation: PredicateComparison.Operator, _ right: PredicateTerm) {
        node = .comparison(PredicateComparison(left, operation, right))
    }

    /// A predicate that is true where both operands are true.
    public static func && (left: TypedPredicate, right: TypedPredicate) -> TypedPredicate {
        TypedPredicate(.conjunction([left.node, right.node]))
    }

    /// A predicate that is true where at least one operand is true.
    public static func || (left: TypedPredicate, right: TypedPredicate) -> TypedPredicate {
        TypedPredicate(.disjunction([left.node, right.node]))
    }

    /// The negation: true where the predicate is false, also for a nil, since logic has two values.
    public static prefix func ! (predicate: TypedPredicate) -> TypedPredicate {
        TypedPredicate(predicate.node.negated)
    }

    /// The canonical text, which ``FetchPredicate`` parses to an equal predicate.
    public var description: String { FetchPredicate(self).description }
}

extension FetchPredicate {
    /// Makes the untyped form of a typed predicate.
    public init<Root>(_ typed: TypedPredicate<Root>) {
        self.init(typed.node)
    }
}
