/// What a comparison of texts does not look at.
public struct TextOptions: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `[c]`: "CRÈME" is "crème".
    public static let caseInsensitive = TextOptions(rawValue: 1)
    /// `[d]`: "crème" is "creme".
    public static let diacriticInsensitive = TextOptions(rawValue: 2)
    /// `[w]`: "ＡＢＣ", which takes the place of three Chinese characters, is "ABC". Of no account for MATCHES.
    public static let widthInsensitive = TextOptions(rawValue: 4)
    /// `[cd]`: "CRÈME" is "creme".
    public static let loose: TextOptions = [.caseInsensitive, .diacriticInsensitive]
}
