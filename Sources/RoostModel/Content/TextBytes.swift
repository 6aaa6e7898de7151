/// Byte-wise checks of texts, as SQL, JSON and terminals read them.
///
/// `hasPrefix`, `split` and `Character` compare by character. A mark that combines with the character before it hides that
/// character from them, and they treat two texts with different bytes as equal.
extension StringProtocol {
    /// Whether the text begins with the bytes of `start`.
    package func begins(with start: some StringProtocol) -> Bool { utf8.starts(with: start.utf8) }

    /// Whether the text ends with the bytes of `end`.
    package func ends(with end: some StringProtocol) -> Bool { utf8.reversed().starts(with: end.utf8.reversed()) }

    /// Returns the parts between ASCII separators.
    ///
    /// - Parameters:
    ///   - mark: The separator.
    ///   - cutsMax: The maximum number of cuts.
    ///   - keepsEmpty: Whether empty parts count.
    package func parts(
        at mark: Unicode.Scalar, cutsMax: Int = .max, keepsEmpty: Bool = false
    ) -> [String] {
        utf8.split(separator: UInt8(ascii: mark), maxSplits: cutsMax, omittingEmptySubsequences: !keepsEmpty)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The spaces at the start of the text.
    package var indentation: String { String(decoding: utf8.prefix { $0 == UInt8(ascii: " ") }, as: UTF8.self) }
}
