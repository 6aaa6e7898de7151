package import CekikapeyeRules
package import RoostModel

/// A proposed payment that has been recorded.
package struct RecordedTransfer: Hashable, Sendable {
    /// The record's identifier.
    package let id: RecordID
    /// The name of the payer.
    package let from: String
    /// The name of the receiver.
    package let to: String
    /// The amount.
    package let amount: Money
}
