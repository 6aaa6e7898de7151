internal import RoostModel

/// What is known of a section before its rows are read.
public struct ResultsSectionInfo: Hashable, Sendable {
    /// What the rows have in common; `nil` in the only section of results without a section key path.
    public let name: String?
    /// How many rows it has.
    public let rowCount: Int

    /// Names are equal where their bytes are.
    public static func == (left: ResultsSectionInfo, right: ResultsSectionInfo) -> Bool {
        left.name.isSameText(as: right.name) && left.rowCount == right.rowCount
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name.map(ExactText.init))
        hasher.combine(rowCount)
    }
}
