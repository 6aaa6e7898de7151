package import RoostModel

/// A term of a predicate whose names are looked up and whose type is known.
package indirect enum BoundTerm: Hashable, Sendable {
    /// `integer`, `real`, `text`, `bytes` or `null`: booleans are 0 and 1.
    case constant(Value, TermKind)
    case path(BoundPath)
    /// How many elements satisfy the node.
    case count(BoundCollection, BoundNode)
    /// What the function makes of the term over all elements.
    case aggregate(PredicateTerm.Function, BoundCollection, BoundTerm)
    case arithmetic(PredicateTerm.ArithmeticOperator, BoundTerm, BoundTerm)

    package var kind: TermKind {
        switch self {
        case .constant(_, let kind): return kind
        case .path(let path): return path.kind
        case .count: return .value(.integer)
        case .aggregate(.average, _, _): return .value(.double)
        case .aggregate(_, _, let term): return term.kind
        case .arithmetic(_, let left, let right):
            return left.kind == .value(.integer) && right.kind == .value(.integer) ? .value(.integer) : .value(.double)
        }
    }

    /// Whether it is read or given, not computed.
    var isPlain: Bool {
        switch self {
        case .constant, .path: true
        case .count, .aggregate, .arithmetic: false
        }
    }

    /// Whether it can be nil.
    var isOptional: Bool {
        switch self {
        case .constant(let value, _): return value == .null
        case .path(let path): return path.isOptional
        case .count: return false
        // Doubles can become what is not a number, and whole numbers that exceed 64 bits become doubles.
        case .aggregate(.sum, _, let term): return term.kind == .value(.double)
        case .aggregate, .arithmetic: return true
        }
    }
}

/// A path through to-one relationships only.
package struct BoundPath: Hashable, Sendable {
    enum Leaf: Hashable, Sendable {
        /// The record itself.
        case identifier
        case attribute(Attribute)
        /// The record that a to-one relationship names.
        case reference(PathResolver.Step)
    }

    /// Whose path: 0 for the record that is tested, others for the elements of collections around it.
    var slot: Int
    /// What to walk before the leaf.
    var steps: [PathResolver.Step]
    var leaf: Leaf
    /// The entity that has the leaf.
    var entity: Entity

    var kind: TermKind {
        switch leaf {
        case .identifier: .record(entity.name)
        case .attribute(let attribute): .value(attribute.kind)
        case .reference(let step): .record(step.destination.name)
        }
    }

    var isOptional: Bool {
        switch leaf {
        case .identifier: !steps.isEmpty
        case .attribute(let attribute): !steps.isEmpty || attribute.isOptional
        case .reference: true
        }
    }

    /// Makes a path of what has no to-many relationship in it.
    init(_ resolved: PathResolver.Resolved, slot: Int, start: Entity) {
        self.slot = slot
        switch resolved.leaf {
        case .attribute(let attribute):
            steps = resolved.steps
            leaf = .attribute(attribute)
            entity = resolved.entity
        case .record:
            // The last reference is read where it is stored, without a look at what it names.
            steps = Array(resolved.steps.dropLast())
            leaf = resolved.steps.last.map(Leaf.reference) ?? .identifier
            entity = resolved.steps.last?.owner ?? start
        }
    }
}

/// All records that a path with to-many relationships in it leads to; one record may be there more than once.
package struct BoundCollection: Hashable, Sendable {
    /// The record where the first to-many relationship starts.
    var base: BoundPath
    /// The relationships from there; the first and the last are to-many.
    var steps: [PathResolver.Step]
    /// What an element is known by in paths.
    var slot: Int
}
