/// Text in a command that is printed to be pasted into a shell.
package enum ShellWord {
    private static let quote = UInt8(ascii: "'")

    /// The text as one word of a shell: as it is where it has plain bytes only, else in single quotes, within which a shell expands nothing.
    ///
    /// Bytes are looked at, not characters: a quote under a combining mark is a quote to a shell.
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

    /// The text as the last word of a command: one that begins like an option is kept from being read as one.
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
