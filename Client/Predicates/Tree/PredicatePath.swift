/// A chain of property names that starts at a record.
///
/// Without names it is that record itself: `SELF`, or `$x`.
package struct PredicatePath: Hashable, Sendable {
    /// What a path starts at.
    package enum Root: Hashable, Sendable {
        /// The record that is tested.
        case record
        /// `$name`: an element of a SUBQUERY, or a value that is put in later.
        case variable(String)
    }

    package var root: Root
    package var names: [String]
    package var place: SourcePlace?

    package init(root: Root = .record, _ names: [String], place: SourcePlace? = nil) {
        self.root = root
        self.names = names
        self.place = place
    }

    /// Whether both lead the same way, wherever they were written.
    package static func == (left: PredicatePath, right: PredicatePath) -> Bool {
        left.root == right.root && left.names == right.names
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(root)
        hasher.combine(names)
    }
}
