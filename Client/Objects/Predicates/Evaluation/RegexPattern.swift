/// A pattern of MATCHES: a regular expression that the whole text has to match.
package struct RegexPattern {
    private let regex: Regex<AnyRegexOutput>
    private let options: TextOptions

    /// - Returns: `nil` for what is no regular expression.
    package init?(_ pattern: String, _ options: TextOptions) {
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
