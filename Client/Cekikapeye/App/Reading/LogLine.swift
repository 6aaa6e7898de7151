package import CekikapeyeRules
package import RoostModel

/// One change of the book, for display.
package struct LogLine: Hashable, Sendable {
    /// The time in milliseconds since 1970, by the clock of the device that made the change.
    package let milliseconds: UInt64
    /// The name of the device; `nil` if it is unknown.
    package let device: String?
    /// The name of the entity: "GroupSettings", "Person", "Spending".
    package let entity: String
    /// The record's identifier.
    package let id: RecordID
    /// The name or title of the record, if it is known.
    package let title: String
    /// The amount of a spending, if it is known.
    package let amount: Money?
    /// Whether the change is a delete.
    package let isDelete: Bool
    /// Whether the change is pending: the server has not acknowledged it yet.
    package let isWaiting: Bool
}
