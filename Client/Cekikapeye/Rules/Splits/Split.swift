/// The payers and consumers of an expense as one value: of two concurrent edits one wins as a whole.
///
/// A split contains the input (mode and numbers). ``consumed(of:seed:)`` computes the amounts from it, identically
/// on every device.
package struct Split: Hashable, Sendable {
    /// The version of the rules under which new splits are written.
    package static let rule: Int64 = 1
    /// The maximum number of people in one split.
    package static let peopleMax = 1000

    /// The meaning of ``shares``.
    package let mode: SplitMode
    /// The amount that each person paid, in minor units; empty in mode ``SplitMode/net``.
    package let payers: [PersonID: Int64]
    /// A number for each participant; its meaning depends on ``mode``.
    package let shares: [PersonID: Int64]
    /// The people who evenly share the remainder after the exact amounts, in mode ``SplitMode/exact``.
    package let rest: Set<PersonID>
    /// The top-level keys that this version does not support, kept for the version that wrote them.
    let unknown: [ExactText: SplitJSON]

    /// Makes a split, and checks everything that does not depend on the total.
    ///
    /// - Throws: ``SplitError`` for numbers that the mode does not allow.
    package init(
        mode: SplitMode, payers: [PersonID: Int64], shares: [PersonID: Int64], rest: Set<PersonID> = []
    ) throws(SplitError) {
        try self.init(mode: mode, payers: payers, shares: shares, rest: rest, unknown: [:])
    }

    init(
        mode: SplitMode, payers: [PersonID: Int64], shares: [PersonID: Int64], rest: Set<PersonID>,
        unknown: [ExactText: SplitJSON]
    ) throws(SplitError) {
        self.mode = mode
        self.payers = payers
        self.shares = shares
        self.rest = rest
        self.unknown = unknown
        try validate()
    }

    /// Splits evenly between the participants.
    package static func even(
        payers: [PersonID: Int64], participants: [PersonID]
    ) throws(SplitError) -> Split {
        var shares: [PersonID: Int64] = [:]
        for person in participants {
            guard shares.updateValue(1, forKey: person) == nil else { throw .personTwice(person) }
        }
        return try Split(mode: .even, payers: payers, shares: shares)
    }

    /// All participants, sorted.
    package var participants: [PersonID] { Set(shares.keys).union(rest).sorted() }

    /// All people whom the split names, including payers, sorted.
    package var people: [PersonID] { Set(shares.keys).union(rest).union(payers.keys).sorted() }

    /// Returns this split with the unknown keys of the split that it replaces, so that an edit keeps the data of a newer version.
    package func keepingUnknownKeys(of older: Split) throws(SplitError) -> Split {
        try Split(mode: mode, payers: payers, shares: shares, rest: rest, unknown: older.unknown)
    }
}
