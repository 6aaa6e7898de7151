package import CekikapeyeRules
package import RoostModel

/// What a group is called and the currency its amounts are in unless said otherwise.
package struct GroupInfo: Hashable, Sendable {
    /// The name.
    package let name: String
    /// The code of the currency, as stored: another program may have written anything.
    package let currencyCode: String
    /// The currency an amount has when none is given; `nil` where the code is unknown.
    package var currency: Currency? { try? Currency(code: currencyCode) }

    /// The identifier of a group's one record: the same on every device.
    package static let recordID = RecordID(derivedFrom: ["cekikapeye-group"])
}
