internal import Foundation
public import RoostModel

extension ObjectContext {
    /// Makes a new object of an entity.
    ///
    /// - Parameters:
    ///   - id: The identifier of the record; a new, time-ordered one by default. Give a derived identifier
    ///     (``RecordID/init(derivedFrom:)``) where two devices may make one and the same object.
    ///   - store: The store of the object; the coordinator's first store by default.
    /// - Throws: ``ObjectError`` with the code `unknown` for an entity or store that does not exist; `invalidValue` for an
    ///   identifier that another object of the context has.
    @discardableResult
    public func insert(_ entity: String, id: RecordID? = nil, into store: StoreID? = nil) throws -> ManagedObject {
        try insert(try model.entity(named: entity), id: id, into: store)
    }

    /// Makes a new object of a class.
    ///
    /// - Throws: As ``insert(_:id:into:)-(String,_,_)``.
    @discardableResult
    public func insert<Object: ManagedObject>(
        _ type: Object.Type, id: RecordID? = nil, into store: StoreID? = nil
    ) throws -> Object {
        let layout = try model.entity(named: type.entityName)
        // The class is checked first, so that a refused insert leaves nothing behind.
        guard model.type(of: layout.id) is Object.Type,
            let object = try insert(layout, id: id, into: store) as? Object
        else {
            throw ObjectError(
                .unknown,
                "Cannot make an object of the class \(type): the coordinator does not know it. Give it among the coordinator's classes."
            )
        }
        return object
    }

    /// Makes a new object under an identifier of which the caller knows that no visible record has it. Nothing is read, so that
    /// many objects are made as fast as without identifiers of their own.
    ///
    /// - Throws: As ``insert(_:id:into:)-(String,_,_)``.
    package func insertNew(_ entity: String, id: RecordID) throws -> ManagedObject {
        let layout = try model.entity(named: entity)
        let objectID = try objectID(id, of: layout, in: nil)
        // The context may have deleted an object of that identifier.
        guard registeredObject(objectID) == nil else { return try insert(layout, id: id, into: nil) }
        try refuseIfReadOnly("insert a new \(layout.name)")
        return insertNew(layout, objectID)
    }

    private func insert(_ layout: EntityDescription, id: RecordID?, into store: StoreID?) throws -> ManagedObject {
        try refuseIfReadOnly("insert a new \(layout.name)")
        guard let id else { return insertNew(layout, try objectID(newRecordID(), of: layout, in: store)) }
        let objectID = try objectID(id, of: layout, in: store)
        if let known = registeredObject(objectID), !known.isDeleted {
            throw ObjectError(
                .invalidValue, "Cannot insert \(known): the context has an object of that identifier.")
        }
        // The store may have, or have had, a record with this identifier.
        let object = adopt(objectID, layout, layout.defaults)
        forgetRelationships()
        object.awakeFromInsert()
        return object
    }

    private func insertNew(_ layout: EntityDescription, _ id: ObjectID) -> ManagedObject {
        let object = register(id, layout, layout.defaults, .inserted)
        recordUndo(ofNew: object)
        recordChange(of: object)
        object.startRelationships()
        object.awakeFromInsert()
        return object
    }

    /// Returns an identifier greater than the previous one, even within a millisecond: the order of identifiers is the order in
    /// which objects are made.
    private func newRecordID() -> RecordID {
        var generator = SystemRandomNumberGenerator()
        let id = RecordID(milliseconds: UInt64(max(0, Date().timeIntervalSince1970 * 1000)), using: &generator)
        let next = lastRecordID.map { id <= $0 ? RecordID(high: $0.high, low: $0.low &+ 1) : id } ?? id
        lastRecordID = next
        return next
    }
}

extension ManagedObject {
    /// Starts the relationships of a new object as empty. Only this context can name an unsaved object, so nothing has to be
    /// read.
    final func startRelationships() {
        guard let context else { return }
        for many in layout.manyRelationships {
            context.hasLoadedRelationships = true
            loadedRelationships[many.id] = LoadedRelationship([], of: many, generation: context.generation)
        }
    }
}
