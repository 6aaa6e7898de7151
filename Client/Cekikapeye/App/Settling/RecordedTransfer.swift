package import CekikapeyeRules
package import RoostModel

/// A proposed payment after it was written down.
package struct RecordedTransfer: Hashable, Sendable {
    /// The record.
    package let id: RecordID
    /// Who paid.
    package let from: String
    /// Who received.
    package let to: String
    /// How much.
    package let amount: Money
}
