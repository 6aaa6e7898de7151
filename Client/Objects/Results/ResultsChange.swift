/// One change of a ``ResultsDifference``, for a program that looks at them one by one.
///
/// What the numbers count, and in which order changes are applied, stands at ``ResultsDifference``.
public enum ResultsChange<ID: Hashable & Sendable>: Hashable, Sendable {
    /// A section with this name is no more; its rows have left it. The index is the old one.
    case deleteSection(String?, at: Int)
    /// A section has another place among the sections that are both in the old and the new result.
    case moveSection(String?, from: Int, to: Int)
    /// There is a new section with this name. The index is the new one.
    case insertSection(String?, at: Int)
    /// A row is no longer in the result. The path is the old one.
    case deleteRow(ID, at: ResultsIndexPath)
    /// A row is in another section, or has another place in its section; `isUpdated` if its content changed, too.
    case moveRow(ID, from: ResultsIndexPath, to: ResultsIndexPath, isUpdated: Bool)
    /// A row is new in the result. The path is the new one.
    case insertRow(ID, at: ResultsIndexPath)
    /// The content of a row changed, and it did not move; its path may be another because of what lies before it.
    case updateRow(ID, from: ResultsIndexPath, to: ResultsIndexPath)
}
