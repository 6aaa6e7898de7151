package import RoostModel

/// A spending that is not shown because the person it is listed under was deleted.
package struct HiddenSpending: Hashable, Sendable {
    /// The record.
    package let id: RecordID
    /// What it was for.
    package let title: String
    /// The name of the person, where it is known.
    package let because: String?
}
