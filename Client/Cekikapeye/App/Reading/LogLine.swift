package import CekikapeyeRules
package import RoostModel

/// One change of the book, for people.
package struct LogLine: Hashable, Sendable {
    /// Milliseconds since 1970, by the clock of the device that made it.
    package let milliseconds: UInt64
    /// The device's name; `nil` for one that is not known by name.
    package let device: String?
    /// The entity: "GroupSettings", "Person", "Spending".
    package let entity: String
    /// The record.
    package let id: RecordID
    /// Its name or title, as far as known.
    package let title: String
    /// The amount of a spending, as far as known.
    package let amount: Money?
    /// Whether it was deleted rather than written.
    package let isDelete: Bool
    /// Whether the server has not acknowledged it yet.
    package let isWaiting: Bool
}
