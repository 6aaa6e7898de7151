package import RoostModel

/// A term of a predicate whose names are resolved and whose type is checked.
package indirect enum BoundTerm: Hashable, Sendable {
    /// `integer`, `double`, `string`, `data` or `null`: booleans are 0 and 1.
    case constant(Value, TermKind)
    case path(BoundPath)
    /// The number of elements that satisfy the node.
    case count(BoundCollection, BoundNode)
    /// The aggregate function of the term over all elements.
    case aggregate(PredicateTerm.Function, BoundCollection, BoundTerm)
    case arithmetic(PredicateTerm.ArithmeticOperator, BoundTerm, BoundTerm)
    case text(PredicateTerm.TextFunction, BoundTerm)

    /// Makes the term of a resolved path without to-many relationships.
    init(_ resolved: PathResolver.Resolved, slot: Int, start: Entity) {
        let path = BoundTerm.path(BoundPath(resolved, slot: slot, start: start))
        self = resolved.isLength ? .text(.length, path) : path
    }

    package var kind: TermKind {
        switch self {
        case .constant(_, let kind): return kind
        case .path(let path): return path.kind
        case .count: return .value(.integer)
        case .aggregate(.average, _, _): return .value(.double)
        case .aggregate(_, _, let term): return term.kind
        case .arithmetic(_, let left, let right):
            return left.kind == .value(.integer) && right.kind == .value(.integer) ? .value(.integer) : .value(.double)
        case .text(.length, _): return .value(.integer)
        case .text: return .value(.string)
        }
    }

    /// Whether the term is a path or a constant, not computed.
    var isPlain: Bool {
        switch self {
        case .constant, .path: true
        case .count, .aggregate, .arithmetic, .text: false
        }
    }

    /// Whether the term can be nil.
    var isOptional: Bool {
        switch self {
        case .constant(let value, _): return value == .null
        case .path(let path): return path.isOptional
        case .count: return false
        // Arithmetic of doubles can give NaN, and integers that overflow become doubles.
        case .aggregate(.sum, _, let term): return term.kind == .value(.double)
        case .aggregate, .arithmetic: return true
        case .text(_, let term): return term.isOptional
        }
    }
}

/// A path through to-one relationships only.
package struct BoundPath: Hashable, Sendable {
    enum Leaf: Hashable, Sendable {
        /// The record itself.
        case identifier
        case attribute(Attribute)
        /// The target of a to-one relationship.
        case reference(PathResolver.Step)
    }

    /// The slot of the path's root: 0 for the tested record, others for elements of enclosing collections.
    var slot: Int
    /// The relationships before the leaf.
    var steps: [PathResolver.Step]
    var leaf: Leaf
    /// The entity of the leaf.
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

    /// Makes a path of a resolved path without to-many relationships.
    init(_ resolved: PathResolver.Resolved, slot: Int, start: Entity) {
        self.slot = slot
        switch resolved.leaf {
        case .attribute(let attribute):
            steps = resolved.steps
            leaf = .attribute(attribute)
            entity = resolved.entity
        case .record:
            // The last reference is read from its column, without a query of its target.
            steps = Array(resolved.steps.dropLast())
            leaf = resolved.steps.last.map(Leaf.reference) ?? .identifier
            entity = resolved.steps.last?.owner ?? start
        }
    }
}

/// The elements of a path through to-many relationships; a record may occur more than once.
package struct BoundCollection: Hashable, Sendable {
    /// The record where the first to-many relationship starts.
    var base: BoundPath
    /// The relationships from the base; the first and the last are to-many.
    var steps: [PathResolver.Step]
    /// The slot of an element in paths.
    var slot: Int
}
