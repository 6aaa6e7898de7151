internal import RoostModel

/// Converts constants to the type of the other operand.
enum ConstantCoercion {
    /// Types a constant that is compared with another constant.
    static func natural(_ value: PredicateValue) -> BoundTerm? {
        switch value {
        case .null: .constant(.null, .null)
        case .string(let text): .constant(.string(text), .value(.string))
        case .integer(let number): .constant(.integer(number), .value(.integer))
        case .double(let number): number.isNaN ? .constant(.null, .null) : .constant(.double(number), .value(.double))
        case .boolean(let flag): .constant(.integer(flag ? 1 : 0), .value(.boolean))
        case .data(let bytes): .constant(.data(bytes), .value(.data))
        case .timestamp(let milliseconds): .constant(.integer(milliseconds), .value(.timestamp))
        case .identifier(let id): .constant(.data(id.bytes), .value(.uuid))
        case .list: nil
        }
    }

    /// - Returns: The constant as a value of `kind`; `nil` if it has no such value.
    static func value(_ value: PredicateValue, as kind: TermKind) -> Value? {
        switch (value, kind) {
        case (.null, _), (_, .null): return .null
        case (.double(let number), _) where number.isNaN: return .null
        case (.string(let text), .record), (.string(let text), .value(.uuid)):
            return RecordID(text).map { .data($0.bytes) }
        case (.identifier(let id), .record), (.identifier(let id), .value(.uuid)): return .data(id.bytes)
        case (.data(let bytes), .record), (.data(let bytes), .value(.uuid)):
            return bytes.count == 16 ? .data(bytes) : nil
        case (_, .record): return nil
        case (_, .value(let kind)): return scalar(value, as: kind)
        }
    }

    private static func scalar(_ value: PredicateValue, as kind: Attribute.Kind) -> Value? {
        switch (value, kind) {
        case (.string(let text), .string), (.string(let text), .json): .string(text)
        case (.string(let text), .date): CalendarText.isValid(text) ? .string(text) : nil
        case (.string(let text), .timestamp): instant(text).map(Value.integer)
        case (.integer(let number), .integer), (.integer(let number), .timestamp), (.timestamp(let number), .timestamp):
            .integer(number)
        // Stays an integer if a double would round it.
        case (.integer(let number), .double): Double(exactly: number).map(Value.double) ?? .integer(number)
        case (.double(let number), .integer), (.double(let number), .double): .double(number)
        case (.boolean(let flag), .boolean): .integer(flag ? 1 : 0)
        case (.integer(let number), .boolean): number == 0 || number == 1 ? .integer(number) : nil
        case (.data(let bytes), .data): .data(bytes)
        default: nil
        }
    }

    /// The instant of a text; a day means its first instant.
    private static func instant(_ text: String) -> Int64? {
        CalendarText.milliseconds(ofUTC: text) ?? CalendarText.milliseconds(ofUTC: "\(text)T00:00:00Z")
    }

    /// The suggestion for messages.
    static func expectation(_ kind: TermKind) -> String {
        switch kind {
        case .value(.date): "a day that exists, as \"2026-07-14\""
        case .value(.timestamp): "a date, a text as \"2026-07-14T09:30:00.000Z\", or milliseconds since 1970"
        case .value(.uuid): "a UUID or its text of 36 characters"
        case .value(.boolean): "true, false, 1 or 0"
        case .value(.integer), .value(.double): "a number"
        case .value(.data): "data"
        case .value(.string), .value(.json): "text"
        case .record(let entity): "a record of \"\(entity)\" or its identifier"
        case .null: "nil"
        }
    }
}
