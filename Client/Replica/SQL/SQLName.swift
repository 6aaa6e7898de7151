/// Names in generated SQL. Every name is quoted, and every column is qualified by its table or alias.
///
/// SQLite treats a quoted name that matches no column as a string literal. An unqualified column that another program has renamed
/// would silently become a constant; a qualified one is an error.
enum SQLName {
    /// Quotes a name for SQL: encloses it in double quotes and doubles those inside.
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

    /// Returns a text as an SQL literal, in single quotes with those inside doubled. A NUL ends a literal for some readers, so
    /// callers must not pass one.
    static func literal(_ text: String) -> String {
        var bytes: [UInt8] = [apostrophe]
        for byte in text.utf8 {
            bytes.append(byte)
            if byte == apostrophe { bytes.append(apostrophe) }
        }
        bytes.append(apostrophe)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a column qualified by a table or alias, such as `roost_c."amount"`.
    ///
    /// - Parameter source: A quoted table name, or an alias that needs no quotes.
    static func column(_ name: String, of source: String) -> String { "\(source).\(quoted(name))" }

    /// Lowercases the ASCII letters of a name. SQLite treats two names as one where the results are equal byte by byte.
    static func folded(_ name: String) -> String {
        String(
            decoding: name.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self)
    }

    /// Reads the quoted names of a list up to its closing parenthesis, and skips everything else in the list.
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
