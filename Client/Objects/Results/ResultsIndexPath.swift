/// Where a row stands in a ``ResultsSnapshot``: the number of its section, and its number in that section, both from 0.
public struct ResultsIndexPath: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of the section.
    public var section: Int
    /// The number of the row in its section.
    public var row: Int

    /// The path of row number `row` in section number `section`.
    public init(section: Int, row: Int) {
        self.section = section
        self.row = row
    }

    /// Whether the row stands before the other from top to bottom.
    public static func < (first: ResultsIndexPath, second: ResultsIndexPath) -> Bool {
        (first.section, first.row) < (second.section, second.row)
    }

    public var description: String { "section \(section), row \(row)" }
}
