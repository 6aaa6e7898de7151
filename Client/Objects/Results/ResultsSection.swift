/// A section of a ``ResultsSnapshot``: consecutive rows with the same section name.
public struct ResultsSection<ID: Hashable & Sendable>: Hashable, Sendable {
    /// What the rows have in common; nil in the only section of results without a section key path.
    public let name: String?
    /// The identifiers of the rows, in order.
    public internal(set) var rows: [ID]

    /// A section of these rows.
    public init(name: String?, rows: [ID]) {
        self.name = name
        self.rows = rows
    }
}
