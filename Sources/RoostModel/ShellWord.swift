/// The quoting of text in a command that is printed to be pasted into a shell.
package enum ShellWord {
    private static let quote = UInt8(ascii: "'")

    /// Returns the text as one word of a shell. Text of plain bytes stays unchanged; other text is put in single quotes,
    /// within which a shell expands nothing.
    ///
    /// Bytes are checked, not characters: a quote under a combining mark is a quote to a shell.
    package static func quoted(_ text: String) -> String {
        guard text.isEmpty || !text.utf8.allSatisfy(isPlain) else { return text }
        var bytes = [quote]
        for byte in text.utf8 {
            if byte == quote { bytes += Array("'\\'".utf8) }
            bytes.append(byte)
        }
        bytes.append(quote)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text as the last word of a command. A text that begins like an option gets `--` before it.
    package static func last(_ text: String) -> String {
        text.utf8.first == UInt8(ascii: "-") ? "-- \(quoted(text))" : quoted(text)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_-./:@%+,".utf8.contains(byte)
        }
    }
}
