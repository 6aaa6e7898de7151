/// A validator of JSON as the text of an attribute: one value of RFC 8259's grammar in UTF-8, nested at most ``depthMax``
/// levels.
///
/// The grammar and SQLite allow a repeated name in an object and the escape of a lone surrogate: both are valid here.
/// ``JSONParser``, which makes values of JSON, accepts neither.
package struct JSONText {
    /// The maximum nesting of arrays and objects (protocol.md §5.3).
    package static let depthMax = 64

    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    /// The arrays and objects around the position, one bit each, the innermost last. A set bit is an object.
    private var containers: UInt64 = 0
    private var depth = 0

    /// Explains why bytes are not JSON.
    ///
    /// - Returns: `nil` for JSON.
    package static func fault(in bytes: UnsafeRawBufferPointer) -> JSONError? {
        var text = JSONText(bytes: bytes)
        do throws(JSONError) {
            guard ContentReader.isUTF8(bytes) else { throw text.error("the text is not UTF-8") }
            try text.read()
            return nil
        } catch {
            return error
        }
    }

    /// Explains why a text is not JSON.
    ///
    /// - Returns: `nil` for JSON.
    package static func fault(in text: String) -> JSONError? {
        var text = text
        return text.withUTF8 { fault(in: UnsafeRawBufferPointer($0)) }
    }

    private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Reads one value with its nested values, without recursion.
    private mutating func read() throws(JSONError) {
        repeat {
            skipSpace()
            if peek == UInt8(ascii: "{") || peek == UInt8(ascii: "[") {
                if try open(isObject: peek == UInt8(ascii: "{")) { continue }
            } else {
                try scalar()
            }
            try closeContainers()
        } while depth > 0
        skipSpace()
        guard position == bytes.count else { throw error("more text after the value") }
    }

    /// Reads an empty array or object, or the start of another one up to its first value.
    ///
    /// - Returns: Whether a value comes next.
    private mutating func open(isObject: Bool) throws(JSONError) -> Bool {
        guard depth < Self.depthMax else { throw error("more than \(Self.depthMax) levels deep") }
        position += 1
        skipSpace()
        if take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { return false }
        containers = containers << 1 | (isObject ? 1 : 0)
        depth += 1
        if isObject { try name() }
        return true
    }

    /// Reads the text after a value: ends of containers, and the comma before the next value.
    private mutating func closeContainers() throws(JSONError) {
        while depth > 0 {
            let isObject = containers & 1 == 1
            skipSpace()
            if take(UInt8(ascii: ",")) {
                if isObject { try name() }
                return
            }
            guard take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                throw error(isObject ? "expected ',' or '}'" : "expected ',' or ']'")
            }
            containers >>= 1
            depth -= 1
        }
    }

    private mutating func name() throws(JSONError) {
        skipSpace()
        guard peek == UInt8(ascii: "\"") else { throw error("expected a name in quotes") }
        try string()
        skipSpace()
        guard take(UInt8(ascii: ":")) else { throw error("expected ':' after a name") }
    }

    /// Reads a value that contains no others.
    private mutating func scalar() throws(JSONError) {
        switch peek {
        case nil: throw error("the text ends where a value should be")
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: try number()
        }
    }

    private mutating func string() throws(JSONError) {
        position += 1
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"): try escape()
            case 0..<0x20: throw error("a control character inside a string must be escaped")
            default: break
            }
        }
        throw error("the text ends inside a string")
    }

    private mutating func escape() throws(JSONError) {
        guard let byte = peek else { throw error("the text ends inside a string") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            break
        case UInt8(ascii: "u"):
            for _ in 0..<4 {
                guard let digit = peek, Self.isHexadecimal(digit) else {
                    throw error("expected four hexadecimal digits")
                }
                position += 1
            }
        default: throw error("unknown escape")
        }
    }

    private mutating func number() throws(JSONError) {
        _ = take(UInt8(ascii: "-"))
        guard let first = peek, Self.isDigit(first) else { throw error("expected a value") }
        if first == UInt8(ascii: "0") { position += 1 } else { digits() }
        if take(UInt8(ascii: ".")) {
            guard let next = peek, Self.isDigit(next) else { throw error("expected a digit after '.'") }
            digits()
        }
        guard let mark = peek, mark | 0x20 == UInt8(ascii: "e") else { return }
        position += 1
        if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
        guard let next = peek, Self.isDigit(next) else { throw error("expected a digit in the exponent") }
        digits()
    }

    private mutating func digits() {
        while let byte = peek, Self.isDigit(byte) { position += 1 }
    }

    private mutating func word(_ word: StaticString) throws(JSONError) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard take(word.utf8Start[offset]) else { throw error("expected a value") }
        }
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

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    private func error(_ reason: String) -> JSONError {
        let before = bytes[..<min(position, bytes.count)]
        let line = before.count { $0 == 0x0A } + 1
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return JSONError(reason: reason, line: line, column: before.endIndex - start + 1)
    }
}
