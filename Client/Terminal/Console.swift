internal import Foundation
package import RoostModel

/// The program's output: results on standard output, everything else on standard error.
package enum Console {
    /// Writes a line of a result.
    package static func write(_ line: String) {
        FileHandle.standardOutput.write(Data((harmless(line) + "\n").utf8))
    }

    /// Writes a result as JSON.
    package static func write(_ value: JSONValue) {
        write(printableJSON(value.text))
    }

    /// Writes a line that is not part of the result, for the user at the terminal.
    package static func note(_ line: String) {
        FileHandle.standardError.write(Data((harmless(line) + "\n").utf8))
    }

    /// Spells out the control characters in a program's lines, so that inserted text cannot control the terminal.
    /// Line breaks and tabs stay. Text from others must pass through ``printable(_:)`` first, since its line breaks
    /// cannot be told from the program's own here.
    private static func harmless(_ lines: String) -> String {
        guard !lines.utf8.allSatisfy({ 0x20..<0x7F ~= $0 || $0 == newline || $0 == tab }) else { return lines }
        return lines.utf8.split(separator: newline, omittingEmptySubsequences: false).map { line in
            line.split(separator: tab, omittingEmptySubsequences: false)
                .map { printable(String(decoding: $0, as: UTF8.self)) }.joined(separator: "\t")
        }.joined(separator: "\n")
    }

    private static let (newline, tab) = (UInt8(ascii: "\n"), UInt8(ascii: "\t"))

    /// Spells out control characters, which could control a terminal.
    package static func printable(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars {
            if isPrintable(scalar) {
                shown.unicodeScalars.append(scalar)
            } else {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return shown
    }

    /// Shortens a name that another user chose, and spells out its control characters.
    package static func name(_ text: String) -> String { printable(ShortText.name(text)) }

    /// Escapes the characters that ``printable(_:)`` spells out, in JSON's notation. They only occur in strings of the JSON.
    package static func printableJSON(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { !isPrintable($0) }) else { return text }
        var shown = ""
        for scalar in text.unicodeScalars {
            if isPrintable(scalar) {
                shown.unicodeScalars.append(scalar)
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    shown += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
                }
            }
        }
        return shown
    }

    /// Returns whether a character is visible or a space, and cannot control a terminal.
    package static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// Formats an instant in local time, to the second.
    package static func time(_ milliseconds: Int64) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
        return formatter.string(from: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
    }
}
