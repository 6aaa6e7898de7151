extension PredicateNode {
    /// The same tree with every term that `replace` has something for replaced by it, from the outside in.
    ///
    /// What stands in a SUBQUERY that gives a variable its own meaning is walked as well.
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

    /// The same tree with values in place of variables.
    func substituting(_ values: [String: PredicateValue]) -> PredicateNode {
        mapTerms { term in
            switch term {
            case .path(let path):
                guard case .variable(let name) = path.root, path.names.isEmpty else { return nil }
                return values[name].map { .constant($0) }
            case .subquery(let path, let variable, let node) where values[variable] != nil:
                // In there the name means the element.
                let others = values.filter { $0.key != variable }
                return .subquery(path, variable: variable, node.substituting(others))
            default: return nil
            }
        }
    }

    /// Whether the tree is nested deeper than `limit` levels; looks no deeper than that.
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
    /// The same term with every part that `replace` has something for replaced by it, from the outside in.
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
        }
    }
}
