/// A line for a terminal or a log that stays one line and controls no terminal.
enum LogLine {
    /// Escapes control characters, line separators, and characters that change the direction of text.
    ///
    /// - Parameter inJSON: Whether the line is JSON. There such characters occur only in strings, and get JSON's escapes.
    static func escaped(_ line: String, inJSON: Bool) -> String {
        guard line.unicodeScalars.contains(where: isUnsafe) else { return line }
        var shown = String.UnicodeScalarView()
        for scalar in line.unicodeScalars {
            guard isUnsafe(scalar) else {
                shown.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16)
            let padded = String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
            shown.append(contentsOf: (inJSON ? "\\u\(padded)" : "\\u{\(digits)}").unicodeScalars)
        }
        return String(shown)
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
