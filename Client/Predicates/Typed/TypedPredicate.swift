/// A predicate on the records of one entity, built from its fields.
///
///     var filter: TypedPredicate<Spending.Fields> = \.amount > 20_00
///     filter = filter && \.person.name == "Ana"
///
/// A part in the format language, which the compiler does not check, is combined with typed ones by `&&` and `||`.
public struct TypedPredicate<Root: EntityFields>: Hashable, Sendable, CustomStringConvertible {
    let node: PredicateNode

    init(_ node: PredicateNode) {
        self.node = node
    }

    init(_ left: PredicateTerm, _ operation: PredicateComparison.Operator, _ right: PredicateTerm) {
        node = .comparison(PredicateComparison(left, operation, right))
    }

    /// Makes a predicate on the records of an entity from an untyped one. The fetch checks it against the schema.
    public init(_ untyped: FetchPredicate) {
        self.init(untyped.node)
    }

    /// The predicate that every record satisfies.
    public static var all: TypedPredicate { TypedPredicate(.constant(true)) }
    /// The predicate that no record satisfies.
    public static var none: TypedPredicate { TypedPredicate(.constant(false)) }

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

// MARK: Typed and untyped parts

extension TypedPredicate {
    /// A predicate that is true where both operands are true.
    @_disfavoredOverload
    public static func && (left: FetchPredicate, right: TypedPredicate) -> TypedPredicate {
        TypedPredicate(left) && right
    }

    /// A predicate that is true where both operands are true.
    @_disfavoredOverload
    public static func && (left: TypedPredicate, right: FetchPredicate) -> TypedPredicate {
        left && TypedPredicate(right)
    }

    /// A predicate that is true where at least one operand is true.
    @_disfavoredOverload
    public static func || (left: FetchPredicate, right: TypedPredicate) -> TypedPredicate {
        TypedPredicate(left) || right
    }

    /// A predicate that is true where at least one operand is true.
    @_disfavoredOverload
    public static func || (left: TypedPredicate, right: FetchPredicate) -> TypedPredicate {
        left || TypedPredicate(right)
    }
}

extension FetchPredicate {
    /// Makes the untyped form of a typed predicate.
    public init<Root>(_ typed: TypedPredicate<Root>) {
        self.init(typed.node)
    }
}
