/// Names in generated SQL: every one is quoted, and every column is qualified by the table or alias that it belongs to.
///
/// SQLite reads a quoted name that no table has as a text, so that an unqualified column which another program has renamed
/// would silently become a constant. A qualified one is an error.
enum SQLName {
    /// A name as SQL takes it: in double quotes, those inside doubled.
    ///
    /// Works on bytes. A quote followed by a combining mark is one `Character`, and would stay single.
    static func quoted(_ name: String) -> String {
        var bytes: [UInt8] = [quote]
        for byte in name.utf8 {
            bytes.append(byte)
            if byte == quote { bytes.append(quote) }
        }
        bytes.append(quote)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A text as an SQL literal: in single quotes, those inside doubled. A NUL ends a literal for some readers, so callers
    /// must not pass one.
    static func literal(_ text: String) -> String {
        var bytes: [UInt8] = [apostrophe]
        for byte in text.utf8 {
            bytes.append(byte)
            if byte == apostrophe { bytes.append(apostrophe) }
        }
        bytes.append(apostrophe)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A column of a table or alias, such as `roost_c."amount"`.
    ///
    /// - Parameter source: A quoted table name, or an alias that needs no quotes.
    static func column(_ name: String, of source: String) -> String { "\(source).\(quoted(name))" }

    /// A name with its ASCII letters in lower case: SQLite takes two names for one where these are equal, byte by byte.
    static func folded(_ name: String) -> String {
        String(
            decoding: name.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self)
    }

    /// Reads the quoted names of a list up to its closing parenthesis, and passes over everything else in it.
    static func quotedNames(upToParenthesis text: inout Substring.UTF8View) -> [String] {
        var names: [String] = []
        while let byte = text.popFirst(), byte != UInt8(ascii: ")") {
            guard byte == quote else { continue }
            var name: [UInt8] = []
            while let byte = text.popFirst() {
                guard byte == quote else {
                    name.append(byte)
                    continue
                }
                guard text.first == quote else { break }
                name.append(quote)
                text.removeFirst()
            }
            names.append(String(decoding: name, as: UTF8.self))
        }
        return names
    }

    private static let quote = UInt8(ascii: "\"")
    private static let apostrophe = UInt8(ascii: "'")
}
