internal import Replica
internal import RoostMerge
public import RoostModel

extension ObjectContext {
    /// Brings a deleted record back with its content at the time of the delete, whatever program or device deleted it and however
    /// long ago. Objects that its delete had hidden come back with it, at once in this context. The undelete is saved as one
    /// change.
    ///
    /// - Parameter store: The store of the record; the coordinator's first store by default.
    /// - Throws: ``ObjectError`` with the code `unknown` for an entity or store that does not exist, and where the record is not
    ///   deleted, or nothing is kept of it; `store` where it could not be read. Nothing is changed.
    @discardableResult
    public func undelete(_ entity: String, id: RecordID, in store: StoreID? = nil) throws -> ManagedObject {
        try undelete(try model.entity(named: entity), id, in: store)
    }

    /// Brings a deleted record of a class back.
    ///
    /// - Throws: As ``undelete(_:id:in:)-(String,_,_)``, also for a class that the coordinator does not have.
    @discardableResult
    public func undelete<Object: ManagedObject>(
        _ type: Object.Type, id: RecordID, in store: StoreID? = nil
    ) throws -> Object {
        let layout = try model.entity(named: type.entityName)
        guard model.type(of: layout.id) is Object.Type,
            let object = try undelete(layout, id, in: store) as? Object
        else { throw wrongClass(type, layout) }
        return object
    }

    private func undelete(_ layout: EntityDescription, _ record: RecordID, in store: StoreID?) throws -> ManagedObject {
        try refuseIfReadOnly("undelete \(layout.name) \(record)")
        let id = try objectID(record, of: layout, in: store)
        let content = try contentToUndelete(id, layout)
        let object = adopt(id, layout, content)
        object.broughtBack = content
        let before = Set(returning.keys)
        showWhatReturns()
        undoHistory?.note(cameBack: Set(returning.keys).subtracting(before))
        forgetRelationships()
        return object
    }

    /// Returns the content of a deleted record, if this context sees it as deleted.
    private func contentToUndelete(_ id: ObjectID, _ layout: EntityDescription) throws -> [Value] {
        if let known = registeredObject(id), known.state == .deleted { return known.values }
        let refused = "Cannot undelete \(layout.name) \(id.record)"
        if let reason = hidden[id] {
            throw ObjectError(.unknown, "\(refused): it is hidden because of \(reason.record). Undelete that one.")
        }
        if try object(with: id) != nil { throw ObjectError(.unknown, "\(refused): it is not deleted.") }
        let backend = try coordinator.store(id.store).backend
        if let content = try backend.readHidden("read a deleted record", { try $0.content(ofDeleted: id.key) }) {
            return content
        }
        switch try backend.liveness(of: id.key) {
        case .hidden(let cause):
            throw ObjectError(.unknown, "\(refused): it is hidden because of \(cause.id). Undelete that one.")
        case .visible, .kept:
            throw ObjectError(.unknown, "\(refused): the parent context has not saved its delete. Undo it there.")
        case .deleted, .absent: throw ObjectError(.unknown, "\(refused): the store keeps nothing of it.")
        }
    }
}
