internal import RoostModel

/// Converts constants to the type of the other operand.
enum ConstantCoercion {
    /// Types a constant that is compared with another constant.
    static func natural(_ value: PredicateValue) -> BoundTerm? {
        switch value {
        case .null: .constant(.null, .null)
        case .text(let text): .constant(.text(text), .value(.string))
        case .integer(let number): .constant(.integer(number), .value(.integer))
        case .real(let number): number.isNaN ? .constant(.null, .null) : .constant(.real(number), .value(.double))
        case .boolean(let flag): .constant(.integer(flag ? 1 : 0), .value(.boolean))
        case .bytes(let bytes): .constant(.bytes(bytes), .value(.data))
        case .timestamp(let milliseconds): .constant(.integer(milliseconds), .value(.timestamp))
        case .identifier(let id): .constant(.bytes(id.bytes), .value(.uuid))
        case .list: nil
        }
    }

    /// - Returns: The constant as a value of `kind`; `nil` if it has no such value.
    static func value(_ value: PredicateValue, as kind: TermKind) -> Value? {
        switch (value, kind) {
        case (.null, _), (_, .null): return .null
        case (.real(let number), _) where number.isNaN: return .null
        case (.text(let text), .record), (.text(let text), .value(.uuid)):
            return RecordID(text).map { .bytes($0.bytes) }
        case (.identifier(let id), .record), (.identifier(let id), .value(.uuid)): return .bytes(id.bytes)
        case (.bytes(let bytes), .record), (.bytes(let bytes), .value(.uuid)):
            return bytes.count == 16 ? .bytes(bytes) : nil
        case (_, .record): return nil
        case (_, .value(let kind)): return scalar(value, as: kind)
        }
    }

    private static func scalar(_ value: PredicateValue, as kind: Attribute.Kind) -> Value? {
        switch (value, kind) {
        case (.text(let text), .string), (.text(let text), .json): .text(text)
        case (.text(let text), .date): CalendarText.isValid(text) ? .text(text) : nil
        case (.text(let text), .timestamp): instant(text).map(Value.integer)
        case (.integer(let number), .integer), (.integer(let number), .timestamp), (.timestamp(let number), .timestamp):
            .integer(number)
        // Stays an integer if a double would round it.
        case (.integer(let number), .double): Double(exactly: number).map(Value.real) ?? .integer(number)
        case (.real(let number), .integer), (.real(let number), .double): .real(number)
        case (.boolean(let flag), .boolean): .integer(flag ? 1 : 0)
        case (.integer(let number), .boolean): number == 0 || number == 1 ? .integer(number) : nil
        case (.bytes(let bytes), .data): .bytes(bytes)
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
