/// The location of a row in a ``ResultsSnapshot``: the index of its section, and its index in that section, both from 0.
public struct ResultsIndexPath: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The index of the section.
    public var section: Int
    /// The index of the row in its section.
    public var row: Int

    /// Makes the path of the row at index `row` in the section at index `section`.
    public init(section: Int, row: Int) {
        self.section = section
        self.row = row
    }

    /// Orders paths from top to bottom.
    public static func < (first: ResultsIndexPath, second: ResultsIndexPath) -> Bool {
        (first.section, first.row) < (second.section, second.row)
    }

    public var description: String { "section \(section), row \(row)" }
}
