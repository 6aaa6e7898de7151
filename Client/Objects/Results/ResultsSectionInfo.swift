/// What is known of a section before its rows are read.
public struct ResultsSectionInfo: Hashable, Sendable {
    /// What the rows have in common; `nil` in the only section of results without a section key path.
    public let name: String?
    /// How many rows it has.
    public let rowCount: Int
}
