/// One side of a comparison.
package indirect enum PredicateTerm: Hashable, Sendable {
    /// An aggregate function over the elements of a to-many path.
    package enum Function: String, Hashable, Sendable, CaseIterable {
        /// The sum; 0 without elements.
        case sum
        /// nil of nothing.
        case average = "avg"
        /// nil of nothing.
        case minimum = "min"
        /// nil of nothing.
        case maximum = "max"
    }

    package enum ArithmeticOperator: String, Hashable, Sendable, CaseIterable {
        case add = "+"
        case subtract = "-"
        case multiply = "*"
        case divide = "/"
    }

    /// A function of a text.
    package enum TextFunction: String, Hashable, Sendable, CaseIterable {
        case uppercase, lowercase
        /// The number of characters, as LIKE counts them.
        case length
    }

    case path(PredicatePath)
    case constant(PredicateValue)
    /// A list with at least one member that is not a constant; make lists with ``list(of:)``.
    case list([PredicateTerm])
    /// `path.@count`
    case count(PredicatePath)
    /// `path.@sum.of`
    case aggregate(Function, PredicatePath, of: [String])
    /// `SUBQUERY(path, $variable, predicate).@count`
    case subquery(PredicatePath, variable: String, PredicateNode)
    case arithmetic(ArithmeticOperator, PredicateTerm, PredicateTerm)
    /// `uppercase:(name)`
    case text(TextFunction, PredicateTerm)

    /// A list: a constant where all its members are.
    package static func list(of terms: [PredicateTerm]) -> PredicateTerm {
        let constants = terms.compactMap { term -> PredicateValue? in
            if case .constant(let value) = term { value } else { nil }
        }
        return constants.count == terms.count ? .constant(.list(constants)) : .list(terms)
    }
}
