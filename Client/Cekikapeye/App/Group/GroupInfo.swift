package import CekikapeyeRules
package import RoostModel

/// The name of a group and the default currency of its amounts.
package struct GroupInfo: Hashable, Sendable {
    /// The name.
    package let name: String
    /// The code of the currency as stored. Another program may have written an invalid code.
    package let currencyCode: String
    /// The default currency of amounts; `nil` if the code is unknown.
    package var currency: Currency? { try? Currency(code: currencyCode) }

    /// The identifier of the group's single record, which is identical on every device.
    package static let recordID = RecordID(derivedFrom: ["cekikapeye-group"])
}
