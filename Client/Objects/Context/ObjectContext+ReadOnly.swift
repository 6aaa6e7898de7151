internal import RoostModel

/// Read-only contexts. Each continues a context that ended while the program held objects of it (decision 229).
extension ObjectContext {
    /// Refuses a change in a read-only context.
    ///
    /// - Throws: ``ObjectError`` with the code `contextEnded`.
    func refuseIfReadOnly(_ action: @autoclosure () -> String) throws {
        guard isReadOnly else { return }
        throw ObjectError(
            .contextEnded,
            "Cannot \(action()): the context has ended, and its objects can only be read. Keep a context as long as changes are made in it."
        )
    }

    /// Records that an object had unsaved changes when its context ended.
    func recordLoss(of object: ManagedObject) {
        let error = ObjectError(
            .contextEnded,
            "The changes of \(object) are lost: its context has ended before they were saved. Keep a context until its changes are saved."
        )
        // No property has the number 0, so no edit replaces this one.
        failures.add(error, LostEdit(object: object.objectID, property: PropertyID(0)))
    }
}
