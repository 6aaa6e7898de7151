/// Parses percents exactly, as hundredths of a percent.
enum BasisPoints {
    /// Parses `33`, `33.3` or `33,33`, with or without a `%`; `nil` for anything else.
    static func read(_ text: String) -> Int64? {
        let number = text.hasSuffix("%") ? text.dropLast() : text[...]
        let parts = number.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
        guard let whole = parts.first, parts.count <= 2, isNumber(whole, digitsMax: 3) else { return nil }
        let decimals = parts.count == 2 ? parts[1] : "0"
        guard isNumber(decimals, digitsMax: 2), let units = Int64(whole), let tail = Int64(decimals) else { return nil }
        return units * 100 + (decimals.utf8.count == 1 ? tail * 10 : tail)
    }

    private static func isNumber(_ text: Substring, digitsMax: Int) -> Bool {
        (1...digitsMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
