internal import GRDB
internal import Replica
public import RoostModel

extension ObjectContext {
    /// Returns the object of an identifier: the context's own, or one with the store's current values.
    ///
    /// - Returns: `nil` where the object is deleted or hidden, or never existed.
    /// - Throws: ``ObjectError`` with the code `store` where the object could not be read.
    public func object(with id: ObjectID) throws -> ManagedObject? {
        if isGone(id) { return nil }
        if let known = registeredObject(id), known.state != .gone { return known }
        return try load([id]).first
    }

    /// Returns the object of a record by the record's identifier, which is equal in every replica: a derived identifier, or one
    /// stored elsewhere.
    ///
    /// - Parameter store: The store of the record; the coordinator's first store by default.
    /// - Returns: As ``object(with:)``.
    /// - Throws: ``ObjectError`` with the code `unknown` for an entity or store that does not exist, `store` where the object
    ///   could not be read.
    public func object(_ entity: String, id: RecordID, in store: StoreID? = nil) throws -> ManagedObject? {
        try object(with: objectID(id, of: model.entity(named: entity), in: store))
    }

    /// Returns the object of a class by the identifier of its record.
    ///
    /// - Returns: As ``object(with:)``.
    /// - Throws: As ``object(_:id:in:)-(String,_,_)``, also for a class that the coordinator does not have.
    public func object<Object: ManagedObject>(
        _ type: Object.Type, id: RecordID, in store: StoreID? = nil
    ) throws -> Object? {
        let layout = try model.entity(named: type.entityName)
        guard let object = try object(with: objectID(id, of: layout, in: store)) else { return nil }
        guard let typed = object as? Object else { throw wrongClass(type, layout) }
        return typed
    }

    /// Makes the identifier of an object from the identifier of its record.
    ///
    /// - Parameter store: The store of the record; the coordinator's first store by default.
    /// - Throws: ``ObjectError`` with the code `unknown` for a store that does not exist.
    func objectID(_ record: RecordID, of layout: EntityDescription, in store: StoreID?) throws -> ObjectID {
        ObjectID(
            record: record, entity: layout.id, store: try coordinator.store(store ?? StoreID(number: 0)).id)
    }

    /// Returns the objects of identifiers, in their order. Objects that the context does not have are read together. Objects that
    /// are deleted or hidden, or never existed, are left out.
    ///
    /// - Throws: ``ObjectError`` with the code `store` where objects could not be read.
    public func objects(with ids: [ObjectID]) throws -> [ManagedObject] {
        let missing = ids.filter { id in !isGone(id) && (registeredObject(id).map { $0.state == .gone } ?? true) }
        var found: [ObjectID: ManagedObject] = [:]
        for group in Dictionary(grouping: missing, by: { [$0.store.number, $0.entity.rawValue] }).values {
            for object in try load(group) { found[object.objectID] = object }
        }
        return ids.compactMap { id in
            if isGone(id) { return nil }
            return found[id] ?? registeredObject(id).flatMap { $0.state == .gone ? nil : $0 }
        }
    }

    /// Reads a store as this context sees it, with its unsaved changes.
    func read<Result>(_ store: StoreID, _ action: String, _ body: (Database) throws -> Result) throws -> Result {
        let pending = pendingChanges(in: store)
        readCount += 1
        overlaidCount += pending.count
        return try coordinator.store(store).backend.read(action) { database in
            try PendingOverlay(database: database, model: model, pending: pending).over(body)
        }
    }

    /// Returns the unsaved changes to a store of this context and its ancestors.
    func pendingChanges(in store: StoreID) -> PendingChanges {
        var pending = parent?.pendingChanges(in: store) ?? PendingChanges()
        for (id, values) in returning where id.store == store { pending.put(id, values) }
        for (id, object) in changed where id.store == store {
            switch object.state {
            case .deleted, .gone: pending.remove(id)
            case .inserted, .unchanged:
                if hidden[id] == nil, object.hasChanges { pending.put(id, object.values) }
            }
        }
        for (id, _) in hidden where id.store == store { pending.remove(id) }
        return pending
    }

    /// The entities with objects that unsaved deletes remove.
    var goneEntities: Set<EntityID> {
        var gone = parent?.goneEntities ?? []
        for id in hidden.keys { gone.insert(id.entity) }
        for object in changed.values where object.state == .deleted { gone.insert(object.objectID.entity) }
        return gone
    }

    /// Returns the columns that ``object(_:_:_:_:)`` reads.
    func objectColumns(_ layout: EntityDescription, _ alias: String = "t0") -> String {
        layout.columnList(alias, unmasking: goneEntities)
    }

    /// Returns the object of a row, whose identifier and columns start at an index.
    func object(
        _ row: Query, _ start: Int32, _ layout: EntityDescription, _ store: StoreID
    ) -> ManagedObject? {
        guard let record = row.id(start) else { return nil }
        let id = ObjectID(record: record, entity: layout.id, store: store)
        let known = registeredObject(id)
        // For an edited object the overlay returned the object's own values.
        if let known, known.hasChanges { return known }
        let values = row.values(from: start + 1, as: layout.kinds)
        guard let known else {
            let new = register(id, layout, values, .unchanged)
            if hasLoadedRelationships { lookForLists(without: new) }
            return new
        }
        take(values, for: known)
        return known
    }

    /// Discards loaded relationships where a newly read object is missing from one that it belongs to: another author has written
    /// it since.
    private func lookForLists(without new: ManagedObject) {
        let isMissing = new.layout.columns.contains { column in
            guard let inverse = column.reference?.inverse, let owner = new.targetID(of: column) else { return false }
            return registeredObject(owner)?.loadedRelationships[inverse.id]?.generation == generation
        }
        if isMissing { forgetRelationships() }
    }

    /// Applies the store's current values to an object without unsaved edits.
    func take(_ values: [Value], for object: ManagedObject) {
        // The object may be in loaded relationships again.
        if object.state == .gone { forgetRelationships() }
        object.state = .unchanged
        guard object.values != values else { return }
        let isMoved =
            object.layout.columns.contains {
                $0.reference != nil && object.values[$0.index] != values[$0.index]
            } || object.layout.orderedReferences.contains { object.values[$0.position] != values[$0.position] }
        object.values = values
        object.committed = nil
        recordRenewal()
        if isMoved { forgetRelationships() }
    }
}
