internal import RoostModel

extension ObjectContext {
    /// Takes in an object of a record that the context does not show: a child context or an undo has it, or it is made anew.
    @discardableResult
    func adopt(_ id: ObjectID, _ layout: EntityDescription, _ values: [Value]) -> ManagedObject {
        noteUndeliveredUnknown()
        let object = registeredObject(id) ?? register(id, layout, values, .inserted)
        // One that is unchanged is hidden because of another, and edited.
        if object.state == .unchanged { noteUndo(of: object) } else { noteUndo(ofNew: object) }
        switch object.state {
        case .unchanged: break
        case .deleted: object.state = .unchanged
        case .inserted, .gone:
            object.state = .inserted
            object.mayBeStored = true
        }
        noteChange(of: object)
        object.values = values
        // What is hidden follows from what objects name: of this one, and of what hangs off it.
        hideWhatHangsOffDeleted()
        return object
    }
}
