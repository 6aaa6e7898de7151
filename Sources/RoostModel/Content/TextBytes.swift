/// Looks into texts byte by byte, as SQL, JSON and terminals read them.
///
/// `hasPrefix`, `split` and `Character`s do not: a mark that combines with the character before it hides that one from them, and they take two
/// texts for one that have other bytes.
extension StringProtocol {
    /// Whether it begins with the bytes of `start`.
    package func begins(with start: some StringProtocol) -> Bool { utf8.starts(with: start.utf8) }

    /// Whether it ends with the bytes of `end`.
    package func ends(with end: some StringProtocol) -> Bool { utf8.reversed().starts(with: end.utf8.reversed()) }

    /// The parts between ASCII separators.
    ///
    /// - Parameters:
    ///   - mark: Where it is cut.
    ///   - cutsMax: How often at most.
    ///   - keepsEmpty: Whether empty parts count.
    package func parts(
        at mark: Unicode.Scalar, cutsMax: Int = .max, keepsEmpty: Bool = false
    ) -> [String] {
        utf8.split(separator: UInt8(ascii: mark), maxSplits: cutsMax, omittingEmptySubsequences: !keepsEmpty)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The spaces at its start.
    package var indentation: String { String(decoding: utf8.prefix { $0 == UInt8(ascii: " ") }, as: UTF8.self) }
}
