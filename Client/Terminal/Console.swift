internal import Foundation
package import RoostModel

/// What a program prints: results on standard output, everything else on standard error.
package enum Console {
    /// Writes a line of a result.
    package static func write(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    /// Writes a result for machines.
    package static func write(_ value: JSONValue) {
        write(printableJSON(value.text))
    }

    /// Writes a line for the person at the terminal that is not part of the result.
    package static func note(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

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
