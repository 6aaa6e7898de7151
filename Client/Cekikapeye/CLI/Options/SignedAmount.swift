/// Lets `cekikapeye add -30 payback` be typed: the parser takes what begins with a hyphen for an option.
enum SignedAmount {
    /// The arguments with U+2212, the minus of typography, before the amount of "add" where that is below 0.
    ///
    /// A `--` just before the amount goes, because it would make a text of every option that comes after.
    static func marked(_ arguments: [String]) -> [String] {
        guard let command = arguments.firstIndex(of: "add"), !arguments[..<command].contains("person") else {
            return arguments
        }
        var result = arguments
        for index in arguments.indices.dropFirst(command + 1) where isBelowZero(arguments[index]) {
            let before = arguments[index - 1]
            // The value of an option stays as it is.
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
