extension PredicateNode {
    /// Replaces terms from the outside in; a term for which `replace` returns `nil` is searched further.
    ///
    /// Walks also the body of a SUBQUERY that redefines a variable.
    package func mapTerms<Failure: Error>(
        _ replace: (PredicateTerm) throws(Failure) -> PredicateTerm?
    ) throws(Failure) -> PredicateNode {
        switch self {
        case .constant: return self
        case .comparison(var comparison):
            comparison.left = try comparison.left.mapTerms(replace)
            comparison.right = try comparison.right.mapTerms(replace)
            return .comparison(comparison)
        case .and(let nodes): return .and(try Self.map(nodes, replace))
        case .or(let nodes): return .or(try Self.map(nodes, replace))
        case .not(let node): return .not(try node.mapTerms(replace))
        }
    }

    private static func map<Failure: Error>(
        _ nodes: [PredicateNode], _ replace: (PredicateTerm) throws(Failure) -> PredicateTerm?
    ) throws(Failure) -> [PredicateNode] {
        var mapped: [PredicateNode] = []
        for node in nodes { mapped.append(try node.mapTerms(replace)) }
        return mapped
    }

    /// Replaces variables by values.
    func substituting(_ values: [String: PredicateValue]) -> PredicateNode {
        mapTerms { term in
            switch term {
            case .path(let path):
                guard case .variable(let name) = path.root, path.names.isEmpty else { return nil }
                return values[name].map { .constant($0) }
            case .subquery(let path, let variable, let node) where values[variable] != nil:
                // In the body the name refers to the element.
                let others = values.filter { $0.key != variable }
                return .subquery(path, variable: variable, node.substituting(others))
            default: return nil
            }
        }
    }

    /// Whether the tree is nested deeper than `limit` levels; stops at that level.
    func isDeeper(than limit: Int) -> Bool {
        guard limit > 0 else { return true }
        switch self {
        case .constant: return false
        case .comparison(let comparison):
            return comparison.left.isDeeper(than: limit - 1) || comparison.right.isDeeper(than: limit - 1)
        case .and(let nodes), .or(let nodes): return nodes.contains { $0.isDeeper(than: limit - 1) }
        case .not(let node): return node.isDeeper(than: limit - 1)
        }
    }
}

extension PredicateTerm {
    /// Replaces parts of the term from the outside in; a part for which `replace` returns `nil` is searched further.
    package func mapTerms<Failure: Error>(
        _ replace: (PredicateTerm) throws(Failure) -> PredicateTerm?
    ) throws(Failure) -> PredicateTerm {
        if let replacement = try replace(self) { return replacement }
        switch self {
        case .path, .constant, .count, .aggregate: return self
        case .list(let terms):
            var mapped: [PredicateTerm] = []
            for term in terms { mapped.append(try term.mapTerms(replace)) }
            return .list(of: mapped)
        case .subquery(let path, let variable, let node):
            return .subquery(path, variable: variable, try node.mapTerms(replace))
        case .arithmetic(let operation, let left, let right):
            return .arithmetic(operation, try left.mapTerms(replace), try right.mapTerms(replace))
        case .text(let function, let term): return .text(function, try term.mapTerms(replace))
        }
    }

    func isDeeper(than limit: Int) -> Bool {
        guard limit > 0 else { return true }
        switch self {
        case .path, .constant, .count, .aggregate: return false
        case .list(let terms): return terms.contains { $0.isDeeper(than: limit - 1) }
        case .subquery(_, _, let node): return node.isDeeper(than: limit - 1)
        case .arithmetic(_, let left, let right):
            return left.isDeeper(than: limit - 1) || right.isDeeper(than: limit - 1)
        case .text(_, let term): return term.isDeeper(than: limit - 1)
        }
    }
}
