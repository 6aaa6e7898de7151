package import CekikapeyeRules
package import RoostModel

/// What a group is called and the currency its amounts are in unless said otherwise.
package struct GroupInfo: Hashable, Sendable {
    /// The name.
    package let name: String
    /// The currency an amount has when none is given.
    package let currency: Currency

    /// The identifier of a group's one record: the same on every device.
    package static let recordID = RecordID(derivedFrom: ["cekikapeye-group"])
}
