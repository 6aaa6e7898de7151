/// The reason why a text is not JSON that Roost accepts, and its location.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    package var reason: String
    /// The line, from 1. ``column`` is counted from 1 too.
    package var line: Int
    package var column: Int

    package init(reason: String, line: Int, column: Int) {
        self.reason = reason
        self.line = line
        self.column = column
    }

    package var description: String { "line \(line), column \(column): \(reason)" }
}

/// A strict parser of JSON (RFC 8259): no duplicate names, no lone surrogates, no unbounded depth, nothing after the value.
/// Foundation's decoder accepts the first three.
package struct JSONParser {
    /// The maximum nesting of arrays and objects by default.
    package static let depthMax = 16

    private let bytes: [UInt8]
    private let depthMax: Int
    private var position = 0

    private init(bytes: [UInt8], depthMax: Int) {
        self.bytes = bytes
        self.depthMax = depthMax
    }

    package static func parse(_ text: String, depthMax: Int = depthMax) throws(JSONError) -> JSONValue {
        try parse(Array(text.utf8), depthMax: depthMax)
    }

    package static func parse(_ bytes: [UInt8], depthMax: Int = depthMax) throws(JSONError) -> JSONValue {
        var parser = JSONParser(bytes: bytes, depthMax: depthMax)
        guard String(validating: bytes, as: UTF8.self) != nil else { throw parser.error("the text is not UTF-8") }
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.position == bytes.count else { throw parser.error("more text after the value") }
        return value
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        skipSpace()
        guard let byte = peek else { throw error("the text ends where a value should be") }
        switch byte {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        try enter(depth)
        var members: [JSONValue.Member] = []
        var names: Set<ExactText> = []
        if close(UInt8(ascii: "}")) { return .object([]) }
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw error("expected a name in quotes") }
            let name = try string()
            guard names.insert(ExactText(name)).inserted else { throw error("the name \"\(name)\" is there twice") }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw error("expected ':' after the name \"\(name)\"") }
            members.append(.init(name, try value(depth: depth + 1)))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard close(UInt8(ascii: "}")) else { throw error("expected ',' or '}'") }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        try enter(depth)
        var items: [JSONValue] = []
        if close(UInt8(ascii: "]")) { return .array([]) }
        repeat {
            items.append(try value(depth: depth + 1))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard close(UInt8(ascii: "]")) else { throw error("expected ',' or ']'") }
        return .array(items)
    }

    private mutating func enter(_ depth: Int) throws(JSONError) {
        guard depth < depthMax else { throw error("more than \(depthMax) levels deep") }
        position += 1
    }

    private mutating func close(_ byte: UInt8) -> Bool {
        skipSpace()
        return take(byte)
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0..<0x20: throw error("a control character inside a string must be escaped")
            default: text.append(byte)
            }
        }
        throw error("the text ends inside a string")
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        guard let byte = peek else { throw error("the text ends inside a string") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(8)
        case UInt8(ascii: "f"): text.append(12)
        case UInt8(ascii: "n"): text.append(10)
        case UInt8(ascii: "r"): text.append(13)
        case UInt8(ascii: "t"): text.append(9)
        case UInt8(ascii: "u"): text.append(contentsOf: String(String.UnicodeScalarView([try scalar()])).utf8)
        default: throw error("unknown escape")
        }
    }

    private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
        let first = try codeUnit()
        var number = UInt32(first)
        if (0xD800..<0xDC00).contains(first) {
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw error("a surrogate stands alone") }
            let second = try codeUnit()
            guard (0xDC00..<0xE000).contains(second) else { throw error("a surrogate stands alone") }
            number = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(number) else { throw error("a surrogate stands alone") }
        return scalar
    }

    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        guard bytes.count - position >= 4, let pair = Hex.decode(bytes[position..<position + 4]) else {
            throw error("expected four hexadecimal digits")
        }
        position += 4
        return UInt16(pair[0]) << 8 | UInt16(pair[1])
    }

    private mutating func number() throws(JSONError) -> String {
        let start = position
        _ = take(UInt8(ascii: "-"))
        guard let first = peek, isDigit(first) else { throw error("expected a value") }
        if first == UInt8(ascii: "0") { position += 1 } else { digits() }
        if take(UInt8(ascii: ".")) {
            guard let next = peek, isDigit(next) else { throw error("expected a digit after '.'") }
            digits()
        }
        if let mark = peek, mark | 0x20 == UInt8(ascii: "e") {
            position += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
            guard let next = peek, isDigit(next) else { throw error("expected a digit in the exponent") }
            digits()
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits() {
        while let byte = peek, isDigit(byte) { position += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        guard bytes[position...].starts(with: word.utf8) else { throw error("expected a value") }
        position += word.utf8.count
        return value
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private func error(_ reason: String) -> JSONError {
        let before = bytes[..<min(position, bytes.count)]
        let line = before.count { $0 == 0x0A } + 1
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return JSONError(reason: reason, line: line, column: before.count - start + 1)
    }
}
