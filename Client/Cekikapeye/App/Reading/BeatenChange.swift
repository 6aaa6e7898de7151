package import CekikapeyeRules
internal import RoostModel

/// A change of this device that a later change of another device has replaced.
package struct BeatenChange: Hashable, Sendable {
    /// A version of a record.
    package struct Version: Hashable, Sendable {
        /// The name or title of the record.
        package let title: String
        /// The amount of a spending.
        package let amount: Money?
    }

    /// The journal number by which "roost restore" brings the change back.
    package let ordinal: Int64
    /// The version that this device wrote; `nil` if it deleted the record.
    package let own: Version?
    /// The current version; `nil` if the record is deleted.
    package let standing: Version?
    /// The name of the device that wrote the current version, if it is known.
    package let device: String?
}
