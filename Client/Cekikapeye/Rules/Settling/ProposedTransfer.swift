/// One payment of a plan.
package struct ProposedTransfer: Hashable, Sendable {
    /// Who pays.
    package let from: PersonID
    /// Who receives.
    package let to: PersonID
    /// How much, always above 0.
    package let amount: Money
    /// The text to derive the record's identifier from, so that two devices recording this proposal make one record.
    package let derivedIDInput: String
}
