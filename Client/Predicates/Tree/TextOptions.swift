/// The differences that a comparison of texts ignores.
public struct TextOptions: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `[c]`: "CRÈME" is "crème".
    public static let caseInsensitive = TextOptions(rawValue: 1)
    /// `[d]`: "crème" is "creme".
    public static let diacriticInsensitive = TextOptions(rawValue: 2)
    /// `[w]`: the full-width "ＡＢＣ" is "ABC". MATCHES ignores this option.
    public static let widthInsensitive = TextOptions(rawValue: 4)
    /// `[cd]`: "CRÈME" is "creme".
    public static let loose: TextOptions = [.caseInsensitive, .diacriticInsensitive]
}
