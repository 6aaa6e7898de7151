/// How the numbers of a split are to be read.
package enum SplitMode: String, CaseIterable, Hashable, Sendable {
    /// Everyone listed consumed the same; each number is 1.
    case even
    /// Whole shares, at least one of them above 0.
    case shares
    /// Minor units; people in `rest` share what is left evenly.
    case exact
    /// Hundredths of a percent, 10,000 together.
    case percent
    /// Net effects in minor units, paid minus consumed, 0 together; who paid is unknown.
    case net
}
