internal import RoostModel

/// A section's name and number of rows, available before its rows are read.
public struct ResultsSectionInfo: Hashable, Sendable {
    /// The value that the rows have in common; `nil` where they have none, and in the only section of results without a section key
    /// path.
    public let name: String?
    /// The number of rows in the section.
    public let rowCount: Int

    /// Compares names by their bytes.
    public static func == (left: ResultsSectionInfo, right: ResultsSectionInfo) -> Bool {
        left.name.isSameText(as: right.name) && left.rowCount == right.rowCount
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name.map(ExactText.init))
        hasher.combine(rowCount)
    }
}
