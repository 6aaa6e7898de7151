internal import RoostModel

/// The types of `CAST(value, "type")`.
enum FormatCast: CaseIterable {
    case day
    case instant
    case identifier
    case data
    case real

    /// Seconds from 1970 to 2001, Foundation's reference date.
    private static let referenceSeconds: Double = 978_307_200

    static let choices = "Write \"NSDate\", \"date\", \"timestamp\", \"UUID\", \"NSData\" or \"double\"."

    init?(typeName: String) {
        switch typeName.lowercased() {
        case "date": self = .day
        case "nsdate", "timestamp": self = .instant
        case "uuid", "nsuuid": self = .identifier
        case "data", "nsdata": self = .data
        case "double", "nsnumber": self = .real
        default: return nil
        }
    }

    /// The accepted operand, for messages.
    var expected: String {
        switch self {
        case .day: "a day that exists, as \"2026-07-14\""
        case .instant: "a day as \"2026-07-14\", an instant as \"2026-07-14T09:30:00.000Z\", or a number"
        case .identifier: "a UUID of 36 characters"
        case .data: "data in Base64"
        case .real: "a number"
        }
    }

    func value(of value: PredicateValue) -> PredicateValue? {
        switch (self, value) {
        case (_, .null): .null
        case (.day, .string(let text)): CalendarText.isValid(text) ? value : nil
        case (.instant, .string(let text)):
            // A day stays a day, for attributes of type date; compared with a timestamp it is its first instant.
            CalendarText.isValid(text) ? value : CalendarText.milliseconds(ofUTC: text).map(PredicateValue.timestamp)
        case (.instant, .timestamp): value
        case (.instant, .integer(let milliseconds)): .timestamp(milliseconds)
        case (.instant, .double(let seconds)):
            // Foundation's date literal: seconds since 2001.
            Int64(exactly: ((seconds + Self.referenceSeconds) * 1000).rounded()).map(PredicateValue.timestamp)
        case (.identifier, .string(let text)): RecordID(text).map(PredicateValue.identifier)
        case (.identifier, .identifier), (.data, .data), (.real, .double): value
        case (.data, .string(let text)): Base64.decode(text).map(PredicateValue.data)
        case (.real, .integer(let number)): .double(Double(number))
        case (.real, .string(let text)): Double(text).map(PredicateValue.double)
        default: nil
        }
    }
}
