/// A chain of property names that starts at a record.
///
/// A path without names is the record itself: `SELF`, or `$x`.
package struct PredicatePath: Hashable, Sendable {
    /// The start of a path.
    package enum Root: Hashable, Sendable {
        /// The record that is tested.
        case record
        /// `$name`: an element of a SUBQUERY, or a variable to be substituted.
        case variable(String)
    }

    /// One record of a to-many relationship, by its place in the relationship's order.
    package enum Element: String, Hashable, Sendable, CaseIterable {
        case first = "FIRST"
        case last = "LAST"
    }

    package var root: Root
    package var names: [String]
    /// The relationships that lead to one of their records, by their index in the names: `lines[FIRST].price`.
    package var elements: [Int: Element]
    package var location: FormatLocation?

    package init(
        root: Root = .record, _ names: [String], elements: [Int: Element] = [:], location: FormatLocation? = nil
    ) {
        self.root = root
        self.names = names
        self.elements = elements
        self.location = location
    }

    /// Compares roots, names and elements, ignoring the source location.
    package static func == (left: PredicatePath, right: PredicatePath) -> Bool {
        left.root == right.root && left.names == right.names && left.elements == right.elements
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(root)
        hasher.combine(names)
        hasher.combine(elements)
    }
}
