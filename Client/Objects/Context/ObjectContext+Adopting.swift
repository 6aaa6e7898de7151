internal import RoostModel

extension ObjectContext {
    /// Makes an object for a record that the context does not show: a child context or an undo provides it, or it is inserted
    /// under its identifier again.
    @discardableResult
    func adopt(_ id: ObjectID, _ layout: EntityDescription, _ values: [Value]) -> ManagedObject {
        recordUndeliveredUnknown()
        let object = registeredObject(id) ?? register(id, layout, values, .inserted)
        // An unchanged object arrives here only while another object hides it, and this call edits it.
        if object.state == .unchanged { recordUndo(of: object) } else { recordUndo(ofNew: object) }
        switch object.state {
        case .unchanged: break
        case .deleted: object.state = .unchanged
        case .inserted, .gone:
            object.state = .inserted
            object.mayBeStored = true
        }
        recordChange(of: object)
        object.values = values
        // The references of the object decide whether it and its cascade children are hidden.
        hideWhatHangsOffDeleted()
        return object
    }
}
