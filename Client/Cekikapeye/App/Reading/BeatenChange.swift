package import CekikapeyeRules
internal import RoostModel

/// A change of this device that a later one of somebody else has replaced.
package struct BeatenChange: Hashable, Sendable {
    /// A version of a record.
    package struct Version: Hashable, Sendable {
        /// Its name or title.
        package let title: String
        /// Its amount, of a spending.
        package let amount: Money?
    }

    /// The number by which "roost restore" brings it back.
    package let ordinal: Int64
    /// What this device wrote; `nil` where it deleted the record.
    package let own: Version?
    /// What stands now; `nil` where the record is deleted.
    package let standing: Version?
    /// The name of the device that wrote what stands, where it is known.
    package let device: String?
}
