/// A row that cannot be imported as it stands.
package struct RowProblem: Hashable, Sendable {
    /// The line of the file the row begins on, from 1.
    package let line: Int
    /// What is wrong, with what was got and expected.
    package let reason: String
    /// What to do about it.
    package let advice: String

    init(line: Int, _ fault: SplitwiseRowFault) {
        self.line = line
        reason = fault.reason
        advice = fault.advice
    }
}

extension RowProblem: CustomStringConvertible {
    /// `Line 12: reason advice`.
    package var description: String { "Line \(line): \(reason) \(advice)" }
}
