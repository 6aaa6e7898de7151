import Objects
import Replica
import RoostModel

/// The stored content of a record, visible or not, with masked references as they are stored.
struct StoredRecord: Equatable {
    let liveness: ObjectLiveness
    let values: [PropertyID: Value]

    var isDeleted: Bool { liveness == .deleted || liveness == .absent }

    /// Reads a record; `nil` if the replica does not have it.
    init?(_ id: ObjectID, in context: ObjectContext) throws {
        guard let replica = context.coordinator.stores[0].replica,
            let bytes = try replica.content(of: RecordKey(entity: id.entity, id: id.record))
        else { return nil }
        let put = try Put(encoded: bytes)
        var values: [PropertyID: Value] = [:]
        for field in try ContentCoding.decode(put.content) { values[field.property] = field.value }
        for reference in put.references { values[reference.relationship] = .data(reference.target.bytes) }
        self.values = values
        liveness = try context.liveness(of: id)
    }

    /// Returns whether both have equal content, and both or neither are deleted themselves.
    func isStored(as other: StoredRecord?) -> Bool { values == other?.values && isDeleted == other?.isDeleted }
}
