/// Makes `cekikapeye add -30 payback` possible: the parser would read an argument that begins with a hyphen as an option.
enum SignedAmount {
    /// Replaces the hyphen of a negative amount of "add" by U+2212, the typographical minus sign.
    ///
    /// A `--` immediately before the amount is removed, since it would turn every later option into text.
    static func marked(_ arguments: [String]) -> [String] {
        guard let command = arguments.firstIndex(of: "add"), !arguments[..<command].contains("person") else {
            return arguments
        }
        var result = arguments
        for index in arguments.indices.dropFirst(command + 1) where isBelowZero(arguments[index]) {
            let before = arguments[index - 1]
            // The value of an option stays unchanged.
            guard before == "--" || !before.utf8.starts(with: "--".utf8) else { continue }
            result[index] = "\u{2212}" + arguments[index].dropFirst()
            if before == "--" { result.remove(at: index - 1) }
            break
        }
        return result
    }

    private static func isBelowZero(_ text: String) -> Bool {
        let bytes = Array(text.utf8.prefix(2))
        guard bytes.count == 2, bytes[0] == UInt8(ascii: "-") else { return false }
        return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[1]) || bytes[1] == UInt8(ascii: ".")
            || bytes[1] == UInt8(ascii: ",")
    }
}
