/// The meaning of the numbers of a split.
package enum SplitMode: String, CaseIterable, Hashable, Sendable {
    /// All participants consumed equal amounts; each number is 1.
    case even
    /// Whole shares, at least one of which is above 0.
    case shares
    /// Minor units; the people in `rest` evenly share the remainder.
    case exact
    /// Hundredths of a percent, which add up to 10,000.
    case percent
    /// Net effects in minor units, paid minus consumed, which add up to 0. The payers are unknown.
    case net
}
