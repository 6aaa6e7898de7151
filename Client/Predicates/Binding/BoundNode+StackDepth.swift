// The parser of SQLite 3.40 has a stack of 100 entries, which holds the parts of all unfinished forms.

extension BoundNode {
    /// The maximum depth of a condition, which leaves room for the statement around it.
    static let stackDepthMax = 75

    /// The maximum number of stack entries of the condition.
    var stackDepth: Int {
        switch self {
        case .constant: return 1
        // `(a AND (b`: the deepest operand comes first, before any operator.
        case .and(let nodes), .or(let nodes):
            let depths = nodes.map(\.stackDepth).sorted(by: >)
            let halvings = nodes.count > 100 ? 2 * (Int.bitWidth - nodes.count.leadingZeroBitCount) : 0
            return 2 + halvings + max(depths[0], depths.dropFirst().first.map { $0 + 2 } ?? 0)
        // `NOT (`
        case .not(let node): return 2 + node.stackDepth
        // `EXISTS (SELECT 1 FROM e WHERE`
        case .exists(let collection, let node): return 9 + max(node.stackDepth, collection.stackDepth)
        case .compare(let left, let operation, let right, let options):
            return Self.around(options, operation.isTextual) + max(left.stackDepth, right.stackDepth)
        case .between(let term, let low, let high, let options):
            return Self.around(options, false) + max(term.stackDepth, low.stackDepth, high.stackDepth)
        case .member(let term, _, let options): return Self.around(options, false) + term.stackDepth
        }
    }

    /// `coalesce(instr(a, coalesce(roost_fold(CAST(`, or only `(a <`
    private static func around(_ options: TextOptions, _ isTextual: Bool) -> Int {
        (options.isEmpty ? 6 : 14) + (isTextual ? 6 : 0)
    }
}

extension BoundNode.Operator {
    fileprivate var isTextual: Bool {
        switch self {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: false
        case .beginsWith, .endsWith, .contains, .like, .matches: true
        }
    }
}

extension BoundTerm {
    var stackDepth: Int {
        switch self {
        case .constant: 1
        case .path(let path): path.stackDepth
        // `(SELECT count(*) FROM e WHERE`
        case .count(let collection, let node): 9 + max(node.stackDepth, collection.stackDepth)
        case .aggregate(_, let collection, let term): 9 + max(term.stackDepth, collection.stackDepth)
        // `(a + (b`
        case .arithmetic(_, let left, let right): max(1 + left.stackDepth, 3 + right.stackDepth)
        // `roost_length(CAST(' ' || a`
        case .text(.length, let term): 9 + term.stackDepth
        // `CAST(substr(roost_uppercase(CAST(' ' || a`
        case .text(_, let term): 14 + term.stackDepth
        }
    }
}

extension BoundPath {
    fileprivate var stackDepth: Int {
        let last = if case .reference(let step) = leaf { step.stackDepth } else { 1 }
        return max(last, steps.map(\.stackDepth).max() ?? 1)
    }
}

extension PathResolver.Step {
    /// The number of stack entries of a join, such as `EXISTS (SELECT 1 FROM e LEFT JOIN f ON f.id = (SELECT max(s.id`, of which the
    /// beginning is counted around.
    fileprivate var stackDepth: Int {
        if element != nil { return 18 }
        return showsOne ? 14 : 1
    }
}

extension BoundCollection {
    /// The number of stack entries of the path to the elements, within its own parentheses.
    fileprivate var stackDepth: Int { max(base.stackDepth, steps.map(\.stackDepth).max() ?? 1) }
}
