/// A predicate about the records of one entity, made of its fields.
public struct TypedPredicate<Root: EntityFields>: Hashable, Sendable, CustomStringConvertible {
    let node: PredicateNode

    init(_ node: PredicateNode) {
        self.node = node
    }

    init(_ left: PredicateTerm, _ operation: PredicateComparison.Operator, _ right: PredicateTerm) {
        node = .comparison(PredicateComparison(left, operation, right))
    }

    /// True where both are.
    public static func && (left: TypedPredicate, right: TypedPredicate) -> TypedPredicate {
        TypedPredicate(.conjunction([left.node, right.node]))
    }

    /// True where at least one is.
    public static func || (left: TypedPredicate, right: TypedPredicate) -> TypedPredicate {
        TypedPredicate(.disjunction([left.node, right.node]))
    }

    /// True where the predicate is not. There is no third value: of a nil too.
    public static prefix func ! (predicate: TypedPredicate) -> TypedPredicate {
        TypedPredicate(predicate.node.negated)
    }

    /// The canonical text, see ``FetchPredicate``.
    public var description: String { FetchPredicate(self).description }
}

extension FetchPredicate {
    /// The same condition without its type.
    public init<Root>(_ typed: TypedPredicate<Root>) {
        self.init(typed.node)
    }
}
