internal import Foundation
package import RoostModel

/// What a program prints: results on standard output, everything else on standard error.
package enum Console {
    /// Writes a line of a result.
    package static func write(_ line: String) {
        FileHandle.standardOutput.write(Data((harmless(line) + "\n").utf8))
    }

    /// Writes a result for machines.
    package static func write(_ value: JSONValue) {
        write(printableJSON(value.text))
    }

    /// Writes a line for the person at the terminal that is not part of the result.
    package static func note(_ line: String) {
        FileHandle.standardError.write(Data((harmless(line) + "\n").utf8))
    }

    /// The lines of a program, of which nothing steers a terminal, whatever was put into them. A line break of others' text is
    /// ``printable(_:)``'s to spell out: here it cannot be told from the program's own.
    private static func harmless(_ lines: String) -> String {
        guard !lines.utf8.allSatisfy({ 0x20..<0x7F ~= $0 || $0 == newline || $0 == tab }) else { return lines }
        return lines.utf8.split(separator: newline, omittingEmptySubsequences: false).map { line in
            line.split(separator: tab, omittingEmptySubsequences: false)
                .map { printable(String(decoding: $0, as: UTF8.self)) }.joined(separator: "\t")
        }.joined(separator: "\n")
    }

    private static let (newline, tab) = (UInt8(ascii: "\n"), UInt8(ascii: "\t"))

    /// Data for display: control characters, which could steer a terminal, are spelled out.
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

    /// A name that others chose, for display.
    package static func name(_ text: String) -> String { printable(ShortText.name(text)) }

    /// JSON with the same characters in JSON's escapes; they occur in its strings only.
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

    /// Whether a character is shown, and steers nothing.
    package static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// An instant for people: local time to the second.
    package static func time(_ milliseconds: Int64) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
        return formatter.string(from: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
    }
}
