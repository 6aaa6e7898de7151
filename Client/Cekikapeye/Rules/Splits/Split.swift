/// Who paid an expense and who consumed it, as one value: of two concurrent edits one wins as a whole.
///
/// Holds what was said (mode and numbers); the cents follow from it by ``consumed(of:seed:)``, the same on every device.
package struct Split: Hashable, Sendable {
    /// The version of the rules below that new splits are written under.
    package static let rule: Int64 = 1
    /// The most people one split may name.
    package static let peopleMax = 1000

    /// How ``shares`` is to be read.
    package let mode: SplitMode
    /// What each person paid, in minor units; empty in mode ``SplitMode/net``.
    package let payers: [PersonID: Int64]
    /// A number for each person the expense was for; its meaning depends on ``mode``.
    package let shares: [PersonID: Int64]
    /// In mode ``SplitMode/exact``, the people who share evenly what the exact amounts leave.
    package let rest: Set<PersonID>
    /// Top-level keys this version does not know, kept for the version that wrote them.
    let unknown: [ExactText: SplitJSON]

    /// Makes a split after checking what does not depend on the total.
    ///
    /// - Throws: ``SplitError`` for numbers the mode does not allow.
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

    /// Everyone the expense was for, sorted.
    package var participants: [PersonID] { Set(shares.keys).union(rest).sorted() }

    /// Everyone the split names, payers included, sorted.
    package var people: [PersonID] { Set(shares.keys).union(rest).union(payers.keys).sorted() }

    /// This split with the unknown keys of the one it replaces, so that an edit here loses nothing of a newer version.
    package func keepingUnknownKeys(of older: Split) throws(SplitError) -> Split {
        try Split(mode: mode, payers: payers, shares: shares, rest: rest, unknown: older.unknown)
    }
}
