package import CekikapeyeRules
package import RoostModel

/// A spending as it was interpreted and written.
package struct EnteredSpending: Sendable {
    /// The record's identifier.
    package let id: RecordID
    /// The checked expense, with the amounts that each person paid and consumed.
    package let expense: Expense
    /// The interpretation of the amount; `nil` if none was typed.
    package let reading: ParsedAmount?
    /// Whether anything changed. A change is a step that can be undone.
    package let isStep: Bool
    /// The contents of the book after the change.
    package let contents: BookContents
}
