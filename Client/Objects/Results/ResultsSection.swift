internal import RoostModel

/// A section of a ``ResultsSnapshot``: consecutive rows with the same section name.
public struct ResultsSection<ID: Hashable & Sendable>: Hashable, Sendable {
    /// The value that the rows have in common; `nil` where they have none, and in the only section of results without a section key
    /// path.
    public let name: String?
    /// The identifiers of the rows, in order.
    public internal(set) var rows: [ID]

    /// Makes a section of rows.
    public init(name: String?, rows: [ID]) {
        self.name = name
        self.rows = rows
    }

    /// Compares names by their bytes.
    public static func == (left: ResultsSection, right: ResultsSection) -> Bool {
        left.name.isSameText(as: right.name) && left.rows == right.rows
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name.map(ExactText.init))
        hasher.combine(rows)
    }
}
