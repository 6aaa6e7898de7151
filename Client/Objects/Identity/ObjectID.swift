public import RoostModel

/// The identifier of an object in every context of one coordinator: its store, its entity and its record.
///
/// An identifier is final once the object is inserted. It may be sent to any isolation, and ``ObjectContext/object(with:)`` of
/// another context returns the object that it names. Only ``record``, with the name of the entity, is valid beyond the
/// coordinator.
public struct ObjectID: Hashable, Sendable, CustomStringConvertible {
    /// The identifier of the record, equal in every replica of the scope.
    public let record: RecordID
    /// The entity's number in the schema.
    public let entity: EntityID
    /// The store that holds the record, or will hold it once it is saved.
    public let store: StoreID

    init(record: RecordID, entity: EntityID, store: StoreID) {
        self.record = record
        self.entity = entity
        self.store = store
    }

    var key: RecordKey { RecordKey(entity: entity, id: record) }

    public var description: String { "\(entity)/\(record)" }
}

extension ObjectID: Comparable {
    /// Orders identifiers by store, entity and record. Records made later come later.
    public static func < (left: ObjectID, right: ObjectID) -> Bool {
        (left.store.number, left.entity.rawValue, left.record)
            < (right.store.number, right.entity.rawValue, right.record)
    }
}
