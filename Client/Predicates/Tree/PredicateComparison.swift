/// A comparison of two terms.
package struct PredicateComparison: Hashable, Sendable {
    package enum Operator: String, Hashable, Sendable, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case between = "BETWEEN"
        case isIn = "IN"
        case beginsWith = "BEGINSWITH"
        case endsWith = "ENDSWITH"
        case contains = "CONTAINS"
        case like = "LIKE"
        case matches = "MATCHES"
    }

    /// The quantifier over the elements of the left term, a to-many path.
    package enum Modifier: String, Hashable, Sendable, CaseIterable {
        /// No quantifier: the left term has one value.
        case direct = ""
        /// At least one element satisfies the comparison.
        case any = "ANY"
        /// Every element satisfies the comparison; true without elements.
        case all = "ALL"
        /// No element satisfies the comparison.
        case none = "NONE"
    }

    package var left: PredicateTerm
    package var operation: Operator
    package var right: PredicateTerm
    package var modifier: Modifier
    package var options: TextOptions
    package var location: FormatLocation?

    package init(
        _ left: PredicateTerm, _ operation: Operator, _ right: PredicateTerm, modifier: Modifier = .direct,
        options: TextOptions = [], location: FormatLocation? = nil
    ) {
        self.left = left
        self.operation = operation
        self.right = right
        self.modifier = modifier
        self.options = options
        self.location = location
    }

    package static func == (left: PredicateComparison, right: PredicateComparison) -> Bool {
        left.operation == right.operation && left.modifier == right.modifier && left.options == right.options
            && left.left == right.left && left.right == right.right
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(left)
        hasher.combine(operation)
        hasher.combine(right)
        hasher.combine(modifier)
        hasher.combine(options)
    }
}
