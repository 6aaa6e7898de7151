/// The payers and the participants as typed: names, or `NAME=NUMBER`. One text may contain several, separated by commas.
package struct SplitRequest: Hashable, Sendable {
    /// The payers; amounts may be left out.
    package var payers: [String] = []
    /// The participants.
    package var participants: [String] = []
    /// The exact amounts; the other participants share the remainder.
    package var exact: [String] = []
    /// The whole shares.
    package var shares: [String] = []
    /// The percents, which add up to 100.
    package var percent: [String] = []

    /// Makes an empty request: the user of the device paid for all active people.
    package init() {}

    /// Whether the request names participants.
    var saysForWhom: Bool { !(participants + exact + shares + percent).isEmpty }
}
