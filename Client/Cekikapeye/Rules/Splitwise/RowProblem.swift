/// A row that cannot be imported in its current form.
package struct RowProblem: Hashable, Sendable {
    /// The line of the file on which the row begins, from 1.
    package let line: Int
    /// The problem, with the actual and the expected value.
    package let reason: String
    /// The advice to the user.
    package let advice: String

    init(line: Int, _ fault: SplitwiseRowFault) {
        self.line = line
        reason = fault.reason
        advice = fault.advice
    }
}

extension RowProblem: CustomStringConvertible {
    /// The problem as `Line 12: reason advice`.
    package var description: String { "Line \(line): \(reason) \(advice)" }
}
