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

    package var root: Root
    package var names: [String]
    package var location: FormatLocation?

    package init(root: Root = .record, _ names: [String], location: FormatLocation? = nil) {
        self.root = root
        self.names = names
        self.location = location
    }

    /// Compares roots and names, ignoring the source location.
    package static func == (left: PredicatePath, right: PredicatePath) -> Bool {
        left.root == right.root && left.names == right.names
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(root)
        hasher.combine(names)
    }
}
