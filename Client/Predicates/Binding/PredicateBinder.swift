internal import RoostModel

/// Resolves the names of a predicate in a schema and checks the types of its comparisons.
struct PredicateBinder {
    /// The meaning of a variable.
    struct Scope {
        var slot: Int
        var entity: Entity
    }

    private static let computedMembersMax = 8

    let resolver: PathResolver
    let root: Scope
    var variables: [String: Scope] = [:]
    var slots = 1

    static func bind(
        _ node: PredicateNode, _ schema: Schema, _ entity: String
    ) throws(BindingFault) -> BoundPredicate {
        let resolver = PathResolver(schema: schema)
        let root = try resolver.entity(named: entity)
        var binder = PredicateBinder(resolver: resolver, root: Scope(slot: 0, entity: root))
        let bound = try binder.bind(node)
        return BoundPredicate(schema: schema, entity: root, node: try binder.fitting(bound), slots: binder.slots)
    }

    /// Binds a node, unless it is nested too deep.
    private func fitting(_ node: BoundNode) throws(BindingFault) -> BoundNode {
        guard node.stackDepth <= BoundNode.stackDepthMax else {
            throw BindingFault(
                .tooComplex, "The predicate is nested deeper than SQLite takes it. Write it flatter, or split it.")
        }
        return node
    }

    mutating func bind(_ node: PredicateNode) throws(BindingFault) -> BoundNode {
        switch node {
        case .constant(let truth): return .constant(truth)
        case .and(let nodes): return .and(try bind(nodes))
        case .or(let nodes): return .or(try bind(nodes))
        case .not(let node): return .not(try bind(node))
        case .comparison(let comparison):
            do {
                // Checks the depth here, from the inside out: a form that repeats its operands must not be walked at every level.
                return try fitting(try bind(comparison))
            } catch {
                throw error.at(comparison.location)
            }
        }
    }

    private mutating func bind(_ nodes: [PredicateNode]) throws(BindingFault) -> [BoundNode] {
        var bound: [BoundNode] = []
        for node in nodes { bound.append(try bind(node)) }
        return bound
    }

    // MARK: Comparisons

    private mutating func bind(_ comparison: PredicateComparison) throws(BindingFault) -> BoundNode {
        if comparison.modifier == .direct { return try bindDirect(comparison) }
        guard case .path(let path) = comparison.left, let (collection, element) = try elements(of: path) else {
            let word = comparison.modifier.rawValue
            throw BindingFault(
                .multiplicity,
                "\(word) needs a path through a to-many relationship on its left, and "
                    + "\(FormatWriter.text(of: comparison.left)) is not one. Leave \(word) out.")
        }
        let node = try compare(.bound(element), comparison, operand(comparison.right))
        switch comparison.modifier {
        case .direct, .any: return .exists(collection, node)
        case .none: return .not(.exists(collection, node))
        case .all: return .not(.exists(collection, .not(node)))
        }
    }

    /// Binds a comparison without quantifier; a to-many relationship may still be searched for a record.
    private mutating func bindDirect(_ comparison: PredicateComparison) throws(BindingFault) -> BoundNode {
        var equality = comparison
        equality.operation = .equal
        if comparison.operation == .contains, case .path(let path) = comparison.left,
            let (collection, element) = try elements(of: path)
        {
            return .exists(collection, try compare(.bound(element), equality, operand(comparison.right)))
        }
        if comparison.operation == .isIn, case .path(let path) = comparison.right,
            let (collection, element) = try elements(of: path)
        {
            return .exists(collection, try compare(.bound(element), equality, operand(comparison.left)))
        }
        if comparison.operation == .contains, case .some(let members) = members(of: comparison.left) {
            return try member(try operand(comparison.right), members, comparison)
        }
        return try compare(try operand(comparison.left), comparison, operand(comparison.right))
    }

    /// Compares two operands, without regard to the modifier.
    private mutating func compare(
        _ left: Operand, _ comparison: PredicateComparison, _ right: Operand
    ) throws(BindingFault) -> BoundNode {
        switch comparison.operation {
        case .isIn:
            if let members = right.members { return try member(left, members, comparison) }
            // `'x' IN name` looks for a part of a text.
            guard case .bound(let term) = right, term.kind.isText else {
                throw BindingFault(
                    .type, "IN takes a list such as {1, 2}, or a text attribute that contains what is on its left.")
            }
            var containing = comparison
            containing.operation = .contains
            return try text(right, containing, left)
        case .between:
            guard let ends = right.members, ends.count == 2 else {
                throw BindingFault(.type, "BETWEEN takes a list of two values, such as {1, 10}.")
            }
            return try between(left, ends[0], ends[1], comparison)
        case .like, .matches, .beginsWith, .endsWith, .contains: return try text(left, comparison, right)
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            let (left, right) = try pair(left, right)
            try checkOptions(comparison, left)
            guard let operation = comparison.operation.single else { return .constant(false) }
            if operation != .equal, operation != .notEqual { try checkOrder(left, right) }
            return existence(left, operation, right) ?? .compare(left, operation, right, comparison.options)
        }
    }

    /// Rewrites a comparison of a count with 0, such as `count > 0`, as an existence check, which counts nothing.
    private func existence(
        _ left: BoundTerm, _ operation: BoundNode.Operator, _ right: BoundTerm
    ) -> BoundNode? {
        guard case .count(let collection, let node) = left, case .constant(.integer(let number), _) = right else {
            return nil
        }
        switch (operation, number) {
        case (.greater, 0), (.notEqual, 0), (.greaterOrEqual, 1): return .exists(collection, node)
        case (.equal, 0), (.lessOrEqual, 0), (.less, 1): return .not(.exists(collection, node))
        default: return nil
        }
    }

    private mutating func between(
        _ term: Operand, _ low: PredicateTerm, _ high: PredicateTerm, _ comparison: PredicateComparison
    ) throws(BindingFault) -> BoundNode {
        let (left, lower) = try pair(term, try operand(low))
        let (again, upper) = try pair(left.asOperand, try operand(high))
        try checkOrder(left, lower)
        try checkOrder(again, upper)
        try checkOptions(comparison, again)
        return .between(again, lower, upper, comparison.options)
    }

    private mutating func member(
        _ term: Operand, _ members: [PredicateTerm], _ comparison: PredicateComparison
    ) throws(BindingFault) -> BoundNode {
        guard case .bound(let left) = term.settled else {
            throw BindingFault(.type, "A list cannot be in a list.")
        }
        try checkOptions(comparison, left)
        var values: [Value] = []
        var nodes: [BoundNode] = []
        for member in members {
            let operand = try operand(member)
            let (left, right) = try pair(.bound(left), operand)
            if case .constant(let value, _) = right {
                values.append(value)
            } else {
                nodes.append(.compare(left, .equal, right, comparison.options))
            }
        }
        // Each member is compared on its own, which would repeat a computed left term for each member.
        guard nodes.count <= Self.computedMembersMax || left.isPlain else {
            throw BindingFault(
                .tooComplex,
                "A calculation can be IN a list of at most \(Self.computedMembersMax) key paths, got \(nodes.count). "
                    + "Write the comparisons with OR.")
        }
        let set = ValueSet(storable(values, left.kind))
        let node = BoundNode.member(left, folded(set, comparison.options), comparison.options)
        return nodes.isEmpty ? node : .or(set.values.isEmpty && !set.includesNull ? nodes : [node] + nodes)
    }

    /// Converts numbers to the form of `kind`, without those that no value of `kind` can equal.
    private func storable(_ values: [Value], _ kind: TermKind) -> [Value] {
        values.compactMap { value in
            switch (value, kind) {
            case (.integer, .value(.double)): nil
            case (.double(let number), .value(.integer)): Int64(exactly: number).map(Value.integer)
            default: value
            }
        }
    }

    private func folded(_ set: ValueSet, _ options: TextOptions) -> ValueSet {
        options.isEmpty
            ? set : ValueSet(set.values.map { TextFolding.folded($0, options) } + (set.includesNull ? [.null] : []))
    }

    private mutating func text(
        _ left: Operand, _ comparison: PredicateComparison, _ right: Operand
    ) throws(BindingFault) -> BoundNode {
        // A prefix of a day is no day: constants are not converted.
        guard case .bound(let text) = left.settled, case .bound(let part) = right.settled, text.kind.isText,
            part.kind.isText
        else {
            let got = left.settled.kind.isText ? right.settled.kind : left.settled.kind
            throw BindingFault(
                .type,
                "\(comparison.operation.rawValue) compares texts, got \(got.name). Write == or another comparison.")
        }
        if comparison.operation == .matches, case .constant(.string(let pattern), _) = part {
            guard RegexPattern(pattern, comparison.options) != nil else {
                throw BindingFault(
                    .pattern,
                    "The regular expression \"\(pattern.prefix(60))\" cannot be read. Correct it: in a format text a "
                        + "backslash is written twice; there are no back references, look-around and possessive "
                        + "repetitions; \(RegexPattern.bytesMax) bytes, \(RegexPattern.bracketsMax) brackets and "
                        + "\(RegexPattern.instructionsMax) places are the limit, of which {3} takes three.")
            }
        }
        guard let operation = comparison.operation.single else { return .constant(false) }
        return .compare(text, operation, part, comparison.options)
    }

    // MARK: Checks

    private func checkOrder(_ left: BoundTerm, _ right: BoundTerm) throws(BindingFault) {
        guard left.kind.isOrdered, right.kind.isOrdered else {
            let kind = left.kind.isOrdered ? right.kind : left.kind
            throw BindingFault(.type, "Nothing is less or more than \(kind.name). Compare with == or !=.")
        }
    }

    private func checkOptions(_ comparison: PredicateComparison, _ term: BoundTerm) throws(BindingFault) {
        guard comparison.options.isEmpty || term.kind.isText else {
            throw BindingFault(.type, "[c] and [d] are for texts, got \(term.kind.name). Leave them out.")
        }
    }
}

extension PredicateComparison.Operator {
    /// The operator between two single values; `nil` for operators that take a list.
    var single: BoundNode.Operator? {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        case .beginsWith: .beginsWith
        case .endsWith: .endsWith
        case .contains: .contains
        case .like: .like
        case .matches: .matches
        case .between, .isIn: nil
        }
    }
}
