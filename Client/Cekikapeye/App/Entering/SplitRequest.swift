/// Who paid and for whom, as typed: names, or `NAME=NUMBER`, several to a text with commas.
package struct SplitRequest: Hashable, Sendable {
    /// Who paid; amounts may be left out.
    package var payers: [String] = []
    /// For whom.
    package var participants: [String] = []
    /// Exact amounts; the others share what is left.
    package var exact: [String] = []
    /// Whole shares.
    package var shares: [String] = []
    /// Percents, 100 together.
    package var percent: [String] = []

    /// Nothing said: the one who uses the device paid, for everyone active.
    package init() {}

    /// Whether it says for whom.
    var saysForWhom: Bool { !(participants + exact + shares + percent).isEmpty }
}
