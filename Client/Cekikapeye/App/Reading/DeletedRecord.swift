internal import CekikapeyeModel
package import CekikapeyeRules
package import RoostModel

/// A record that was deleted and can be brought back.
package struct DeletedRecord: Hashable, Sendable {
    /// The record.
    package let id: RecordID
    /// Its entity: "Person", "Spending".
    package let entity: String
    /// Its name or title.
    package let title: String
    /// The amount of a spending, where it can be read.
    package let amount: Money?
    /// The day of a spending.
    package let date: String?

    var isPerson: Bool { entity == Person.entityName }
}
