extension PredicateNode {
    /// The property names in all paths, of the tested record and of variables.
    package var names: Set<String> {
        switch self {
        case .constant: []
        case .comparison(let comparison): comparison.left.names.union(comparison.right.names)
        case .and(let nodes), .or(let nodes): nodes.reduce(into: []) { $0.formUnion($1.names) }
        case .not(let node): node.names
        }
    }

    /// Whether the result depends on records other than the tested one.
    ///
    /// - Parameter ends: The relationships of the tested record that other records store.
    package func followsRelationships(_ ends: Set<String>) -> Bool {
        switch self {
        case .constant: false
        case .comparison(let comparison):
            comparison.modifier != .direct || comparison.left.followsRelationships(ends)
                || comparison.right.followsRelationships(ends)
        case .and(let nodes), .or(let nodes): nodes.contains { $0.followsRelationships(ends) }
        case .not(let node): node.followsRelationships(ends)
        }
    }
}

extension PredicateTerm {
    fileprivate var names: Set<String> {
        switch self {
        case .path(let path), .count(let path): Set(path.names)
        case .constant: []
        case .list(let terms): terms.reduce(into: []) { $0.formUnion($1.names) }
        case .aggregate(_, let path, let names): Set(path.names + names)
        case .subquery(let path, _, let node): node.names.union(path.names)
        case .arithmetic(_, let left, let right): left.names.union(right.names)
        case .text(_, let term): term.names
        }
    }

    fileprivate func followsRelationships(_ ends: Set<String>) -> Bool {
        switch self {
        case .path(let path): path.names.count > 1 || path.names.contains { ends.contains($0) }
        case .constant: false
        case .list(let terms): terms.contains { $0.followsRelationships(ends) }
        case .count, .aggregate, .subquery: true
        case .arithmetic(_, let left, let right): left.followsRelationships(ends) || right.followsRelationships(ends)
        case .text(_, let term): term.followsRelationships(ends)
        }
    }
}
