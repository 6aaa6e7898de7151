/// The reason why a day cannot be read.
package enum DateError: Error, Hashable, Sendable {
    /// The text has none of the accepted forms.
    case notADate(String)
    /// The form is right, but the calendar has no such day.
    case noSuchDay(String)
    /// The day is too far back.
    case outOfRange(String)
}

extension DateError: CustomStringConvertible {
    /// The problem, the reason, and the correct input.
    package var description: String {
        switch self {
        case .notADate(let text):
            """
            Cannot read date "\(text.shortened())": expected YYYY-MM-DD, today, yesterday or -3d. \
            Type it as in 2026-07-14.
            """
        case .noSuchDay(let text):
            "Cannot use date \"\(text.shortened())\": the calendar has no such day. Check month and day."
        case .outOfRange(let text):
            "Cannot use date \"\(text.shortened())\": the limit is \(DateParser.daysBackMax) days back. Type YYYY-MM-DD."
        }
    }
}
