/// A JSON value that keeps numbers as written, so that keys of newer versions survive a round trip unchanged.
indirect enum SplitJSON: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number, as written in the text; it is never converted to floating point.
    case number(String)
    /// A string, which is compared by its bytes, like keys.
    case string(ExactText)
    case array([SplitJSON])
    case object([ExactText: SplitJSON])

    /// The value as an exact integer, if it is one.
    var integer: Int64? {
        guard case .number(let text) = self else { return nil }
        return Int64(text)
    }

    /// The canonical text of this value: keys sorted by their UTF-8 bytes, no spaces, only the escapes that JSON requires.
    var canonicalText: String {
        switch self {
        case .null: return "null"
        case .bool(let value): return value ? "true" : "false"
        case .number(let text): return text
        case .string(let text): return Self.quoted(text.text)
        case .array(let values): return "[" + values.map(\.canonicalText).joined(separator: ",") + "]"
        case .object(let members):
            let sorted = members.sorted { $0.key < $1.key }
            return "{" + sorted.map { Self.quoted($0.key.text) + ":" + $0.value.canonicalText }.joined(separator: ",")
                + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
