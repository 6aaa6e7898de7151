public import RoostModel

/// Names an object in every context of one coordinator: its store, its entity and its record.
///
/// An identifier is final from the moment an object is inserted, may be sent anywhere, and gives the object of another context by
/// ``ObjectContext/object(with:)``. What survives the coordinator is ``record`` with the name of the entity.
public struct ObjectID: Hashable, Sendable, CustomStringConvertible {
    /// The record, the same in every replica of the scope.
    public let record: RecordID
    /// The entity's number in the schema.
    public let entity: EntityID
    /// The store that holds the record, or will.
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
    /// By store, entity and record; records made later come later.
    public static func < (left: ObjectID, right: ObjectID) -> Bool {
        (left.store.number, left.entity.rawValue, left.record)
            < (right.store.number, right.entity.rawValue, right.record)
    }
}
