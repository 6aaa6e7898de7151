package import CekikapeyeRules
package import RoostModel

/// A spending as it was understood and written.
package struct EnteredSpending: Sendable {
    /// The record.
    package let id: RecordID
    /// The checked expense, with who paid and who consumed what.
    package let expense: Expense
    /// How the amount was read; `nil` where none was typed.
    package let reading: ParsedAmount?
    /// Whether anything changed: a step that can be undone.
    package let isStep: Bool
    /// The book after it.
    package let contents: BookContents
}
