/// One payment of a settlement plan.
package struct ProposedTransfer: Hashable, Sendable {
    /// The person who pays.
    package let from: PersonID
    /// The person who receives.
    package let to: PersonID
    /// The amount, always above 0.
    package let amount: Money
    /// The text from which the record's identifier is derived. Two devices that record this proposal thus make one record.
    package let derivedIDInput: String
}
