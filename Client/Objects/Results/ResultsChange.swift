/// One change of a ``ResultsDifference``, for a program that handles changes one by one.
///
/// ``ResultsDifference`` documents how indices count, and in which order changes are applied.
public enum ResultsChange<ID: Hashable & Sendable>: Hashable, Sendable {
    /// A section with this name left the result, and its rows left it. The index is the old one.
    case deleteSection(String?, at: Int)
    /// A section moved among the sections that are in both the old and the new result.
    case moveSection(String?, from: Int, to: Int)
    /// A section with this name entered the result. The index is the new one.
    case insertSection(String?, at: Int)
    /// A row left the result. The path is the old one.
    case deleteRow(ID, at: ResultsIndexPath)
    /// A row moved to another section, or within its section; `isUpdated` if its content changed as well.
    case moveRow(ID, from: ResultsIndexPath, to: ResultsIndexPath, isUpdated: Bool)
    /// A row entered the result. The path is the new one.
    case insertRow(ID, at: ResultsIndexPath)
    /// A row's content changed, and the row did not move. Its path may differ because of changes before it.
    case updateRow(ID, from: ResultsIndexPath, to: ResultsIndexPath)
}
