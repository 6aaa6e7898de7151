extension PredicateNode {
    /// Whether other records than the tested one have a say.
    var followsRelationships: Bool {
        switch self {
        case .constant: false
        case .comparison(let comparison):
            comparison.modifier != .direct || comparison.left.followsRelationships
                || comparison.right.followsRelationships
        case .and(let nodes), .or(let nodes): nodes.contains(where: \.followsRelationships)
        case .not(let node): node.followsRelationships
        }
    }
}

extension PredicateTerm {
    fileprivate var followsRelationships: Bool {
        switch self {
        case .path(let path): path.names.count > 1
        case .constant: false
        case .list(let terms): terms.contains(where: \.followsRelationships)
        case .count, .aggregate, .subquery: true
        case .arithmetic(_, let left, let right): left.followsRelationships || right.followsRelationships
        }
    }
}
