package import RoostModel

/// A spending that is hidden because the person under whom it is listed was deleted.
package struct HiddenSpending: Hashable, Sendable {
    /// The record's identifier.
    package let id: RecordID
    /// The purpose of the spending.
    package let title: String
    /// The name of the person, if it is known.
    package let because: String?
}
