import Objects
import Replica
import RoostModel

/// What a replica has stored of a record, whatever it shows of it: references as they are written, also while they read nil.
struct StoredRecord: Equatable {
    let liveness: ObjectLiveness
    let values: [PropertyID: Value]

    var isDeleted: Bool { liveness == .deleted || liveness == .absent }

    /// `nil` where the replica never heard of it.
    init?(_ id: ObjectID, in context: ObjectContext) throws {
        guard let replica = context.coordinator.stores[0].replica,
            let bytes = try replica.content(of: RecordKey(entity: id.entity, id: id.record))
        else { return nil }
        let put = try Put(encoded: bytes)
        var values: [PropertyID: Value] = [:]
        for field in try ContentCoding.decode(put.content) { values[field.property] = field.value }
        for reference in put.references { values[reference.relationship] = .bytes(reference.target.bytes) }
        self.values = values
        liveness = try context.liveness(of: id)
    }

    /// Whether both have the same content, and both or none are deleted themselves.
    func isStored(as other: StoredRecord?) -> Bool { values == other?.values && isDeleted == other?.isDeleted }
}
