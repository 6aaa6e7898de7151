/// Cuts a format text into tokens.
struct FormatLexer {
    private let text: String
    private let bytes: [UInt8]
    private var position = 0

    private init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    /// - Returns: The tokens, with an `end` as the last.
    static func tokens(of text: String) throws(FetchPredicateError) -> [FormatToken] {
        var lexer = FormatLexer(text)
        guard lexer.bytes.count <= FetchPredicate.formatBytesMax else {
            throw FetchPredicateError(
                .tooComplex,
                "The predicate has \(lexer.bytes.count) bytes, the limit is \(FetchPredicate.formatBytesMax). "
                    + "Pass long lists as an argument: IN %@.", text: String(text.prefix(200)))
        }
        var tokens: [FormatToken] = []
        repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
        return tokens
    }

    private func peek(_ ahead: Int = 0) -> UInt8? { position + ahead < bytes.count ? bytes[position + ahead] : nil }

    private func fail(_ message: String, at offset: Int) -> FetchPredicateError {
        FetchPredicateError(.syntax, message, at: FormatLocation(text: text, offset: offset))
    }

    private func token(_ kind: FormatToken.Kind, from start: Int) -> FormatToken {
        FormatToken(
            kind: kind, text: String(decoding: bytes[start..<position], as: UTF8.self), offset: start, end: position)
    }

    private mutating func next() throws(FetchPredicateError) -> FormatToken {
        while let byte = peek(), byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
        let start = position
        guard let byte = peek() else { return token(.end, from: start) }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let string = try string()
            return token(.string(string), from: start)
        case UInt8(ascii: "%"):
            let argument = try argument()
            return token(.argument(argument), from: start)
        case UInt8(ascii: "$"), UInt8(ascii: "@"), UInt8(ascii: "#"): return try marked(byte)
        case _ where byte.isDigit: return try number()
        case _ where isNameStart(): return name()
        default: return try sign()
        }
    }

    // MARK: Names

    private mutating func name() -> FormatToken {
        let start = position
        skipName()
        let name = token(.name, from: start)
        guard let keyword = FormatKeyword(rawValue: name.text.lowercased()) else { return name }
        return token(.keyword(keyword), from: start)
    }

    /// `$variable`, `@function` or `#name`.
    private mutating func marked(_ mark: UInt8) throws(FetchPredicateError) -> FormatToken {
        let start = position
        position += 1
        guard isNameStart() else {
            throw fail("A name must follow \"\(Character(UnicodeScalar(mark)))\".", at: start)
        }
        let nameStart = position
        skipName()
        let name = String(decoding: bytes[nameStart..<position], as: UTF8.self)
        switch mark {
        case UInt8(ascii: "$"): return token(.variable(name), from: start)
        case UInt8(ascii: "@"): return token(.function(name), from: start)
        default: return FormatToken(kind: .name, text: name, offset: start, end: position)
        }
    }

    private func isNameStart() -> Bool {
        guard let byte = peek() else { return false }
        if byte < 0x80 { return byte == UInt8(ascii: "_") || byte.isLetter }
        return scalarLength(where: \.properties.isAlphabetic) != nil
    }

    private mutating func skipName() {
        while let byte = peek() {
            if byte < 0x80 {
                guard byte == UInt8(ascii: "_") || byte.isLetter || byte.isDigit else { return }
                position += 1
            } else {
                guard let length = scalarLength(where: { $0.properties.isIDContinue }) else { return }
                position += length
            }
        }
    }

    /// The length of the scalar at the current position, if `isWanted` accepts it.
    private func scalarLength(where isWanted: (Unicode.Scalar) -> Bool) -> Int? {
        // The bytes of a String are valid UTF-8.
        let length = bytes[position] >= 0xF0 ? 4 : bytes[position] >= 0xE0 ? 3 : 2
        let end = min(position + length, bytes.count)
        guard let scalar = String(decoding: bytes[position..<end], as: UTF8.self).unicodeScalars.first, isWanted(scalar)
        else { return nil }
        return length
    }

    // MARK: Signs and arguments

    private mutating func sign() throws(FetchPredicateError) -> FormatToken {
        let start = position
        for (spelling, sign) in FormatSign.spellings where bytes[position...].starts(with: spelling) {
            position += spelling.count
            return token(.sign(sign), from: start)
        }
        let character = String(decoding: bytes[position...].prefix(8), as: UTF8.self).prefix(1)
        let hint = "“”„«»‘’`".contains(character) ? " Put texts between \" or '." : ""
        throw fail("\"\(character)\" has no meaning here.\(hint)", at: start)
    }

    private mutating func argument() throws(FetchPredicateError) -> FormatArgument {
        let start = position
        position += 1
        while peek() == UInt8(ascii: "l") || peek() == UInt8(ascii: "h") || peek() == UInt8(ascii: "q") {
            position += 1
        }
        let letter = peek().map { Character(UnicodeScalar($0)) }
        position += letter == nil ? 0 : 1
        switch letter {
        case "@" where position == start + 2: return .value
        case "K" where position == start + 2: return .path
        case "d", "i", "u", "x": return .integer
        case "f", "g", "e": return .real
        default:
            throw fail("An argument is written %@ for a value, %K for a key path, %d or %f for a number.", at: start)
        }
    }

    // MARK: Numbers

    private mutating func number() throws(FetchPredicateError) -> FormatToken {
        let start = position
        if peek() == UInt8(ascii: "0"), peek(1) == UInt8(ascii: "x") || peek(1) == UInt8(ascii: "X") {
            return try hexadecimal()
        }
        var digits = self.digits()
        var isReal = false
        if peek() == UInt8(ascii: "."), peek(1)?.isDigit == true {
            isReal = true
            position += 1
            digits += "." + self.digits()
        }
        if let exponent = exponent() {
            isReal = true
            digits += exponent
        }
        guard !isNameStart() else { throw fail("A number ends before \(rest(start)).", at: position) }
        if isReal {
            guard let number = Double(digits), number.isFinite else {
                throw fail("The number is larger than a double can hold.", at: start)
            }
            return token(.real(number), from: start)
        }
        guard let number = UInt64(digits) else { throw fail("The number does not fit into 64 bits.", at: start) }
        return token(.integer(number), from: start)
    }

    private func rest(_ start: Int) -> String {
        "\"\(String(decoding: bytes[position...].prefix(while: { $0.isLetter }).prefix(10), as: UTF8.self))\""
    }

    private mutating func hexadecimal() throws(FetchPredicateError) -> FormatToken {
        let start = position
        position += 2
        let first = position
        while let byte = peek(), byte.isLetter || byte.isDigit { position += 1 }
        guard let number = UInt64(String(decoding: bytes[first..<position], as: UTF8.self), radix: 16) else {
            throw fail("A hexadecimal number has 1 to 16 digits from 0 to f.", at: start)
        }
        return token(.integer(number), from: start)
    }

    /// Digits, with single underscores between them.
    private mutating func digits() -> String {
        var digits: [UInt8] = []
        while let byte = peek() {
            if byte.isDigit {
                digits.append(byte)
            } else if byte != UInt8(ascii: "_") || peek(1)?.isDigit != true {
                break
            }
            position += 1
        }
        return String(decoding: digits, as: UTF8.self)
    }

    private mutating func exponent() -> String? {
        guard peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") else { return nil }
        let isSigned = peek(1) == UInt8(ascii: "-") || peek(1) == UInt8(ascii: "+")
        guard peek(isSigned ? 2 : 1)?.isDigit == true else { return nil }
        let sign = peek(1) == UInt8(ascii: "-") ? "-" : ""
        position += isSigned ? 2 : 1
        return "e" + sign + digits()
    }

    // MARK: Texts

    private mutating func string() throws(FetchPredicateError) -> String {
        let start = position
        let quote = bytes[position]
        position += 1
        var content: [UInt8] = []
        while let byte = peek() {
            position += 1
            if byte == quote { return String(decoding: content, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                content += Array(String(try escape()).utf8)
            } else {
                content.append(byte)
            }
        }
        throw fail("The text that begins here has no end. Close it with \(Character(UnicodeScalar(quote))).", at: start)
    }

    private mutating func escape() throws(FetchPredicateError) -> Unicode.Scalar {
        let start = position - 1
        let letter = peek()
        position += 1
        switch letter {
        case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"): return Unicode.Scalar(letter ?? 0)
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "u"):
            if let scalar = codeUnits() { return scalar }
        case UInt8(ascii: "U"):
            if let scalar = hexadecimal(8).flatMap(Unicode.Scalar.init) { return scalar }
        default: break
        }
        throw fail(
            "A backslash stands before \\, a quotation mark, n, t, r, u and 4 or U and 8 hexadecimal digits. "
                + "Write \\\\ for a backslash.", at: start)
    }

    /// The four digits of `\u`, or two such groups that make one scalar.
    private mutating func codeUnits() -> Unicode.Scalar? {
        guard let first = hexadecimal(4) else { return nil }
        guard (0xD800..<0xDC00).contains(first) else { return Unicode.Scalar(first) }
        guard peek() == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: "u") else { return nil }
        position += 2
        guard let second = hexadecimal(4), (0xDC00..<0xE000).contains(second) else { return nil }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }

    private mutating func hexadecimal(_ count: Int) -> UInt32? {
        let digits = bytes[min(position, bytes.count)...].prefix(count)
        guard digits.count == count, digits.allSatisfy({ $0.isDigit || $0.isLetter }) else { return nil }
        position += count
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}
