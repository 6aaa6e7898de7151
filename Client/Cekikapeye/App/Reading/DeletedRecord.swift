internal import CekikapeyeModel
package import CekikapeyeRules
package import RoostModel

/// A deleted record, which can be undeleted.
package struct DeletedRecord: Hashable, Sendable {
    /// The record's identifier.
    package let id: RecordID
    /// The name of its entity: "Person", "Spending".
    package let entity: String
    /// The name or title of the record.
    package let title: String
    /// The amount of a spending, if it can be read.
    package let amount: Money?
    /// The day of a spending.
    package let date: String?

    var isPerson: Bool { entity == Person.entityName }
}
