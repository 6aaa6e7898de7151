extension PredicateNode {
    /// Whether other records than the tested one have a say.
    ///
    /// - Parameter ends: The relationships of the tested record that other records store.
    func followsRelationships(_ ends: Set<String>) -> Bool {
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
    fileprivate func followsRelationships(_ ends: Set<String>) -> Bool {
        switch self {
        case .path(let path): path.names.count > 1 || path.names.contains { ends.contains($0) }
        case .constant: false
        case .list(let terms): terms.contains { $0.followsRelationships(ends) }
        case .count, .aggregate, .subquery: true
        case .arithmetic(_, let left, let right): left.followsRelationships(ends) || right.followsRelationships(ends)
        }
    }
}
