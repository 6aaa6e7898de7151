package import RoostModel

/// One row of `Docs/values.md`: a value of a type, and its handling by each layer.
package struct ValueCase: Sendable, CustomStringConvertible {
    package let column: String
    package let value: Value
    /// The value as an SQL expression.
    package let sql: String
    /// The value as JSON; `nil` if only the encoded put can express it.
    package var json: String?
    /// Whether programs may write the value.
    package let isValid: Bool
    /// Whether SQL stores the value, valid or not.
    package var isStored = true
    /// Whether a put with the value is shown.
    package var isShown: Bool

    package var description: String { "\(column) = \(sql.prefix(60))" }

    package var kind: Attribute.Kind { Self.kinds.first { $0.column == column }?.kind ?? .json }

    /// The number of the attribute in ``schema``, and in the schema of the samples.
    package var property: PropertyID {
        PropertyID(UInt32(11 + (Self.kinds.firstIndex { $0.column == column } ?? 0)))
    }

    /// The value as a user types it for `roost update --set`; `nil` if no argument can contain it.
    package var typed: String? {
        let text =
            switch value {
            case .string(let text): text
            case .integer(let number): "\(number)"
            case .double(let number): "\(number)"
            case .data(let bytes): json.flatMap { try? JSONParser.parse($0).stringValue } ?? Hex.encode(bytes)
            default: ""
            }
        return text.utf8.contains(0) ? nil : text
    }

    /// A schema of one entity with an optional attribute of each type.
    package static let schema = """
        {"format": 1, "name": "samples", "version": 1, "entities": [{"id": 1, "name": "Sample", "attributes": [
        \(kinds.enumerated().map {
            #"{"id": \#(11 + $0.offset), "name": "\#($0.element.column)", "type": "\#($0.element.kind.rawValue)", "optional": true}"#
        }.joined(separator: ",\n"))
        ]}]}
        """

    private static let kinds: [(column: String, kind: Attribute.Kind)] = [
        ("maybe_text", .string), ("maybe_whole", .integer), ("maybe_real", .double), ("maybe_truth", .boolean),
        ("maybe_day", .date), ("maybe_instant", .timestamp), ("maybe_code", .uuid), ("maybe_bytes", .data),
        ("maybe_facts", .json),
    ]
}

// MARK: The table

extension ValueCase {
    private static func valid(_ column: String, _ value: Value, _ sql: String, _ json: String?) -> ValueCase {
        ValueCase(column: column, value: value, sql: sql, json: json, isValid: true, isShown: true)
    }

    private static func invalid(
        _ column: String, _ value: Value, _ sql: String, _ json: String? = nil, isStored: Bool
    ) -> ValueCase {
        ValueCase(
            column: column, value: value, sql: sql, json: json, isValid: false, isStored: isStored, isShown: false)
    }

    private static func json(_ text: String, _ json: String?, isValid: Bool = true) -> ValueCase {
        let sql = "'\(String(decoding: text.utf8.flatMap { $0 == 0x27 ? [$0, $0] : [$0] }, as: UTF8.self))'"
        return ValueCase(
            column: "maybe_facts", value: .string(text), sql: sql, json: json, isValid: isValid, isShown: isValid)
    }

    private static func day(_ text: String, isValid: Bool) -> ValueCase {
        ValueCase(
            column: "maybe_day", value: .string(text), sql: "'\(text)'", json: "\"\(text)\"", isValid: isValid,
            isStored: isValid, isShown: isValid)
    }

    private static let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)

    package static let all: [ValueCase] = [
        valid("maybe_text", .string(""), "''", "\"\""),
        valid("maybe_text", .string("a\0b"), "'a' || char(0) || 'b'", #""a\u0000b""#),
        valid("maybe_text", .string("e\u{301}"), "'e\u{301}'", "\"e\u{301}\""),
        valid("maybe_whole", .integer(.min), "-9223372036854775808", "\"-9223372036854775808\""),
        valid("maybe_whole", .integer(.max), "9223372036854775807", "9223372036854775807"),
        invalid("maybe_whole", .double(1.5), "1.5", "1.5", isStored: false),
        invalid("maybe_whole", .string("12a"), "'12a'", "\"12a\"", isStored: false),
        valid("maybe_real", .double(.infinity), "9e999", "\"inf\""),
        valid("maybe_real", .double(-.infinity), "-9e999", "\"-inf\""),
        valid("maybe_real", .double(.leastNonzeroMagnitude), "5e-324", "5e-324"),
        // A column changes the value to 0.0, and the put of another client keeps it.
        valid("maybe_real", .double(-0.0), "-0.0", "-0.0"),
        invalid("maybe_truth", .integer(2), "2", "2", isStored: false),
        day("2024-02-29", isValid: true), day("2026-02-29", isValid: false), day("0000-01-01", isValid: false),
        day("0001-01-01", isValid: true), day("9999-12-31", isValid: true), day("10000-01-01", isValid: false),
        day("2026-1-1", isValid: false), day("", isValid: false),
        valid("maybe_instant", .integer(.max), "9223372036854775807", "\"9223372036854775807\""),
        valid("maybe_instant", .integer(.min), "-9223372036854775808", "-9223372036854775808"),
        valid("maybe_instant", .integer(253_402_300_800_000), "253402300800000", "253402300800000"),
        invalid("maybe_code", .data([0]), "x'00'", "\"00\"", isStored: false),
        invalid("maybe_code", .data(Array(repeating: 1, count: 17)), "zeroblob(17)", isStored: false),
        valid("maybe_bytes", .data([]), "x''", "\"\""), valid("maybe_bytes", .data([0, 255]), "x'00ff'", "\"AP8=\""),
        invalid("maybe_bytes", .string("a"), "'a'", "1", isStored: false),
        json("null", nil), json("{}", "{}"), json(#"{"a":1,"a":2}"#, nil), json(#""\ud800""#, nil),
        json(deep, deep), json("[\(deep)]", nil, isValid: false), json("{", nil, isValid: false),
        json("", nil, isValid: false), json("1 2", nil, isValid: false),
    ]

    /// Distinct values of one type that look or compare alike.
    package static let pairs: [(one: ValueCase, other: ValueCase)] = [
        (
            valid("maybe_text", .string("\u{e9}"), "char(233)", "\"\u{e9}\""),
            valid("maybe_text", .string("e\u{301}"), "'e' || char(769)", "\"e\u{301}\"")
        ),
        (json("\"\u{e9}\"", "\"\u{e9}\""), json("\"e\u{301}\"", "\"e\u{301}\"")),
        (
            valid("maybe_bytes", .data([0xC3, 0xA9]), "x'c3a9'", "\"w6k=\""),
            valid("maybe_bytes", .data([0x65, 0xCC, 0x81]), "x'65cc81'", "\"ZcyB\"")
        ),
        (valid("maybe_real", .double(0.0), "0.0", "0.0"), valid("maybe_real", .double(-0.0), "-0.0", "-0.0")),
    ]

    /// A put of this value alone, encoded.
    package var put: [UInt8] { Put(content: ContentCoding.encode([.init(property: property, value: value)])).encoded() }
}
