/// A strict JSON parser (RFC 8259) for splits: one value, no duplicate keys, no trailing text.
///
/// The application's rules import no module of Roost, so they cannot use Roost's parser (`Tests/Project`, `roomDoesNotImport`).
struct SplitJSONParser {
    /// The maximum nesting depth. Deeper nesting could exhaust the stack; a split has two levels.
    static let depthMax = 32

    private let bytes: [UInt8]
    private var position = 0

    /// Parses the entire text.
    static func parse(_ text: String) throws(SplitJSONFault) -> SplitJSON {
        var parser = SplitJSONParser(bytes: Array(text.utf8))
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.position == parser.bytes.count else { throw parser.fault("the end") }
        return value
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func value(depth: Int) throws(SplitJSONFault) -> SplitJSON {
        guard depth < Self.depthMax else { throw fault("at most \(Self.depthMax) levels") }
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(ExactText(try string()))
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func object(depth: Int) throws(SplitJSONFault) -> SplitJSON {
        try take("{")
        var members: [ExactText: SplitJSON] = [:]
        skipSpace()
        if skip("}") { return .object(members) }
        repeat {
            skipSpace()
            let start = position
            let key = ExactText(try string())
            skipSpace()
            try take(":")
            let member = try value(depth: depth + 1)
            guard members.updateValue(member, forKey: key) == nil else {
                throw SplitJSONFault(byte: start, expected: "a key not yet used")
            }
            skipSpace()
        } while skip(",")
        try take("}")
        return .object(members)
    }

    private mutating func array(depth: Int) throws(SplitJSONFault) -> SplitJSON {
        try take("[")
        var values: [SplitJSON] = []
        skipSpace()
        if skip("]") { return .array(values) }
        repeat {
            values.append(try value(depth: depth + 1))
            skipSpace()
        } while skip(",")
        try take("]")
        return .array(values)
    }

    private mutating func number() throws(SplitJSONFault) -> String {
        let start = position
        _ = skip("-")
        if !skip("0") { try digits() }
        if skip(".") { try digits() }
        if skip("e") || skip("E") {
            _ = skip("+") || skip("-")
            try digits()
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits() throws(SplitJSONFault) {
        let start = position
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw fault("a value") }
    }

    private mutating func word(_ word: String, _ value: SplitJSON) throws(SplitJSONFault) -> SplitJSON {
        guard bytes[position...].starts(with: word.utf8) else { throw fault("a value") }
        position += word.utf8.count
        return value
    }
}

extension SplitJSONParser {
    private mutating func string() throws(SplitJSONFault) -> String {
        try take("\"")
        var content: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"): content += String(try escaped()).utf8
            case 0..<0x20:
                position -= 1
                throw fault("no bare control character")
            default: content.append(byte)
            }
        }
        throw fault("a closing quote")
    }

    private mutating func escaped() throws(SplitJSONFault) -> Unicode.Scalar {
        guard let byte = peek else { throw fault("an escape") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default:
            position -= 1
            throw fault("an escape")
        }
    }

    /// Parses an escape, and combines the surrogate pair with which JSON writes a scalar beyond U+FFFF.
    private mutating func unicodeEscape() throws(SplitJSONFault) -> Unicode.Scalar {
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, skip("\\"), skip("u") else { throw fault("a surrogate pair") }
        let second = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(second) else { throw fault("a surrogate pair") }
        guard let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) else {
            throw fault("a surrogate pair")
        }
        return scalar
    }

    private mutating func hexadecimal() throws(SplitJSONFault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw fault("four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    private mutating func take(_ scalar: Unicode.Scalar) throws(SplitJSONFault) {
        guard skip(scalar) else { throw fault("\"\(scalar)\"") }
    }

    private mutating func skipSpace() {
        while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private func fault(_ expected: String) -> SplitJSONFault { SplitJSONFault(byte: position, expected: expected) }
}
