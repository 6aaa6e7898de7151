internal import CekikapeyeModel
package import RoostModel

/// A record that was deleted and can be brought back.
package struct DeletedRecord: Hashable, Sendable {
    /// The record.
    package let id: RecordID
    /// Its entity: "Person", "Spending".
    package let entity: String
    /// Its name or title.
    package let title: String

    var isPerson: Bool { entity == Person.entityName }
}
