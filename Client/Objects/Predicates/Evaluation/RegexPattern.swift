/// A pattern of MATCHES: a regular expression that the whole text has to match.
package struct RegexPattern {
    /// A longer or deeper pattern is not read: Swift's reader of regular expressions calls itself for each bracket, and some
    /// thousands of them end the process.
    package static let bytesMax = 1000
    package static let bracketsMax = 100

    private let regex: Regex<AnyRegexOutput>
    private let options: TextOptions

    /// - Returns: `nil` for what is no regular expression, or too large.
    package init?(_ pattern: String, _ options: TextOptions) {
        let brackets = pattern.utf8.count { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: "[") }
        guard pattern.utf8.count <= Self.bytesMax, brackets <= Self.bracketsMax else { return nil }
        // Letters with accents lose them as those of the text do; what is a sign to the expression has none.
        let pattern = TextFolding.folded(pattern, options.intersection(.diacriticInsensitive))
        guard let regex = try? Regex(pattern) else { return nil }
        self.regex = options.contains(.caseInsensitive) ? regex.ignoresCase() : regex
        self.options = options.intersection(.diacriticInsensitive)
    }

    package func matches(_ text: String) -> Bool {
        // A search that fails for want of resources has not found anything.
        (try? regex.wholeMatch(in: TextFolding.folded(text, options))) != nil
    }
}
