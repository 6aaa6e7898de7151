internal import RoostModel

/// An operand of a comparison: a typed term, or a constant that takes the type of the other operand.
enum Operand {
    case bound(BoundTerm)
    case constant(PredicateValue)
    case list([PredicateTerm])

    /// The operand as a term; a constant keeps its own type.
    var settled: Operand {
        if case .constant(let value) = self, let term = ConstantCoercion.natural(value) { .bound(term) } else { self }
    }

    var kind: TermKind {
        if case .bound(let term) = settled { term.kind } else { .null }
    }

    var members: [PredicateTerm]? {
        switch self {
        case .list(let terms): terms
        case .constant(.list(let values)): values.map(PredicateTerm.constant)
        default: nil
        }
    }

    /// The kind of operand, for messages.
    var name: String {
        switch self {
        case .bound(let term): term.kind.name
        case .constant(let value): value.kindName
        case .list: "a list"
        }
    }
}

extension BoundTerm {
    var asOperand: Operand { .bound(self) }
}

extension PredicateBinder {
    /// The members of a list; `nil` for other operands.
    func members(of term: PredicateTerm) -> [PredicateTerm]? {
        switch term {
        case .list(let terms): terms
        case .constant(.list(let values)): values.map(PredicateTerm.constant)
        default: nil
        }
    }

    /// Both operands with compatible types.
    func pair(_ left: Operand, _ right: Operand) throws(BindingFault) -> (BoundTerm, BoundTerm) {
        switch (left, right) {
        case (.bound(let left), .bound(let right)):
            guard left.kind.isComparable(with: right.kind) else {
                throw BindingFault(
                    .type,
                    "\(capitalised(left.kind.name)) cannot be compared with \(right.kind.name). "
                        + "Compare it with \(ConstantCoercion.expectation(left.kind)).")
            }
            return (left, right)
        case (.bound(let left), .constant(let value)): return (left, try constant(value, beside: left))
        case (.constant(let value), .bound(let right)): return (try constant(value, beside: right), right)
        default:
            guard case .bound(let first) = left.settled, case .constant(let value) = right else {
                let list: Operand = if case .bound = left.settled { right } else { left }
                throw listBesideOne(list.name)
            }
            // Between two constants, nil does not take the other's type.
            return first.kind == .null ? try pair(right.settled, left) : (first, try constant(value, beside: first))
        }
    }

    private func listBesideOne(_ list: String) -> BindingFault {
        BindingFault(.type, "\(capitalised(list)) cannot be compared with one value. Write IN or BETWEEN.")
    }

    private func constant(_ value: PredicateValue, beside term: BoundTerm) throws(BindingFault) -> BoundTerm {
        if term.kind == .null, let natural = ConstantCoercion.natural(value) { return natural }
        if case .list = value { throw listBesideOne("a list") }
        if let fitting = ConstantCoercion.value(value, as: term.kind) { return .constant(fitting, term.kind) }
        throw BindingFault(
            .type,
            "\(capitalised(term.kind.name)) cannot be compared with \(value.kindName). "
                + "Compare it with \(ConstantCoercion.expectation(term.kind)).")
    }

    private func capitalised(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    // MARK: Terms

    mutating func operand(_ term: PredicateTerm) throws(BindingFault) -> Operand {
        switch term {
        case .constant(let value): return .constant(value)
        case .list(let terms): return .list(terms)
        case .path(let path): return .bound(try single(path))
        case .count(let path): return .bound(.count(try collection(path, "@count"), .constant(true)))
        case .aggregate(let function, let path, let names): return .bound(try aggregate(function, path, names))
        case .subquery(let path, let variable, let node): return .bound(try subquery(path, variable, node))
        case .arithmetic(let operation, let left, let right):
            let left = try number(left, operation)
            let right = try number(right, operation)
            return .bound(.arithmetic(operation, left, right))
        case .text(let function, let term): return .bound(try text(function, term))
        }
    }

    private mutating func text(
        _ function: PredicateTerm.TextFunction, _ term: PredicateTerm
    ) throws(BindingFault) -> BoundTerm {
        let operand = try operand(term)
        guard case .bound(let bound) = operand.settled, bound.kind.isText else {
            throw BindingFault(
                .type,
                "\(function.rawValue): takes a text, got \(operand.name) in \(FormatWriter.text(of: term).prefix(60)).")
        }
        guard case .constant(let value, _) = bound else { return .text(function, bound) }
        return .constant(function.applied(to: value), BoundTerm.text(function, bound).kind)
    }

    private mutating func number(
        _ term: PredicateTerm, _ operation: PredicateTerm.ArithmeticOperator
    ) throws(BindingFault) -> BoundTerm {
        let operand = try operand(term)
        guard case .bound(let bound) = operand.settled, bound.kind.isNumber else {
            throw BindingFault(
                .type,
                "\"\(operation.rawValue)\" takes numbers, got \(operand.name) in "
                    + "\(FormatWriter.text(of: term).prefix(60)).")
        }
        return bound
    }

    // MARK: Paths

    private func scope(of path: PredicatePath) throws(BindingFault) -> Scope {
        guard case .variable(let name) = path.root else { return root }
        if let scope = variables[name] { return scope }
        throw BindingFault(
            .unboundVariable, "$\(name) has no value. Give it one with substituting(_:), or name it in a SUBQUERY.",
            at: path.location)
    }

    private func single(_ path: PredicatePath) throws(BindingFault) -> BoundTerm {
        let scope = try scope(of: path)
        let resolved = try resolver.resolve(path, from: scope.entity)
        if let step = resolved.steps.first(where: \.isToMany) {
            let name = step.relationship.name
            throw BindingFault(
                .multiplicity,
                "\"\(name)\" of \"\(step.owner.name)\" leads to many. Write ANY, ALL or NONE before the path, "
                    + "or count with \(name).@count.", at: path.location)
        }
        return BoundTerm(resolved, slot: scope.slot, start: scope.entity)
    }

    /// Splits a to-many path into its collection and a term of the collection's elements; `nil` for a path that
    /// has one value.
    mutating func elements(of path: PredicatePath) throws(BindingFault) -> (BoundCollection, BoundTerm)? {
        let scope = try scope(of: path)
        let resolved = try resolver.resolve(path, from: scope.entity)
        guard let last = resolved.steps.lastIndex(where: \.isToMany) else { return nil }
        let collection = collection(Array(resolved.steps[...last]), in: scope)
        let element = resolved.steps[last].destination
        var rest = resolved
        rest.steps = Array(resolved.steps[(last + 1)...])
        return (collection, BoundTerm(rest, slot: collection.slot, start: element))
    }

    /// - Parameter steps: Relationships, of which the last is to-many.
    private mutating func collection(_ steps: [PathResolver.Step], in scope: Scope) -> BoundCollection {
        let first = steps.firstIndex(where: \.isToMany) ?? 0
        let owner = steps[first].owner
        let before = PathResolver.Resolved(steps: Array(steps[..<first]), leaf: .record, entity: owner)
        slots += 1
        return BoundCollection(
            base: BoundPath(before, slot: scope.slot, start: scope.entity), steps: Array(steps[first...]),
            slot: slots - 1)
    }

    /// The collection at the end of a path.
    private mutating func collection(
        _ path: PredicatePath, _ user: String
    ) throws(BindingFault) -> BoundCollection {
        let scope = try scope(of: path)
        var resolved = try resolver.resolve(path, from: scope.entity)
        // The records that refer to a single end can be counted too.
        if let last = resolved.steps.indices.last { resolved.steps[last].takesAll = true }
        guard resolved.leaf == .record, resolved.steps.last?.isToMany == true, path.names.last != "id" else {
            throw BindingFault(
                .multiplicity,
                "\(user) needs a to-many relationship, and \(FormatWriter.text(of: path).prefix(60)) does not end in one.",
                at: path.location)
        }
        return collection(resolved.steps, in: scope)
    }

    // MARK: Collections

    private mutating func aggregate(
        _ function: PredicateTerm.Function, _ path: PredicatePath, _ names: [String]
    ) throws(BindingFault) -> BoundTerm {
        let collection = try collection(path, "@\(function.rawValue)")
        let element = collection.element
        let resolved = try resolver.resolve(PredicatePath(names, location: path.location), from: element)
        let written = names.joined(separator: ".").prefix(60)
        guard !resolved.isToMany else {
            throw BindingFault(
                .multiplicity, "\(written) leads to many itself. Write all of the way before @\(function.rawValue).",
                at: path.location)
        }
        let term = BoundTerm(resolved, slot: collection.slot, start: element)
        let fits = function == .sum || function == .average ? term.kind.isNumber : term.kind.isOrdered
        guard fits else {
            let wanted = function == .sum || function == .average ? "numbers" : "values that have an order"
            throw BindingFault(
                .type, "@\(function.rawValue) takes \(wanted), and \(written) is \(term.kind.name).", at: path.location)
        }
        return .aggregate(function, collection, term)
    }

    private mutating func subquery(
        _ path: PredicatePath, _ variable: String, _ node: PredicateNode
    ) throws(BindingFault) -> BoundTerm {
        let collection = try collection(path, "SUBQUERY")
        let outer = variables[variable]
        variables[variable] = Scope(slot: collection.slot, entity: collection.element)
        defer { variables[variable] = outer }
        return .count(collection, try bind(node))
    }
}

extension BoundCollection {
    /// The entity of the elements.
    var element: Entity { steps[steps.count - 1].destination }
}
