internal import Replica
internal import RoostModel

extension ObjectContext {
    /// The error of the operations that could not throw, such as assignments to properties of generated classes; `nil` where
    /// none has failed. Of several, ``ObjectError/problems`` lists all.
    ///
    ///     dinner.person = stranger
    ///     if let failure = context.failure { print(failure.description) }
    ///
    /// Each save throws it, and writes nothing, until every lost edit is replaced by another one of the same property, or its
    /// object is deleted. An object that was not added to a relationship is removed from it, or its counterpart in this context
    /// is added. ``rollback()`` and ``discardFailures()`` end all failures.
    ///
    /// No edit is lost where a relationship or a list could not be read, or the object of an edit no longer exists. Only the next
    /// save throws such an error.
    public var failure: ObjectError? { .combining(failures.all) }

    /// Accepts that the operations of ``failure`` have changed nothing, so that saves write the other changes.
    public func discardFailures() { failures = Failures() }

    /// Keeps an error of an operation that cannot throw.
    ///
    /// - Parameter edit: The edit that the operation did not make, if any.
    func fail(_ error: any Error, _ action: String, losing edit: LostEdit? = nil) {
        let error =
            error as? ObjectError ?? ObjectError(.store, "\(action): \(error)", cause: error as? ReplicaError)
        // No later edit can replace an edit of an object that is deleted.
        let isFinal = edit.flatMap { registeredObject($0.object)?.isDeleted } ?? false
        failures.add(error, isFinal ? nil : edit)
    }

    /// Returns the errors of operations that a save throws. Errors that no later edit can end are returned once.
    func takeFailures() -> [ObjectError] {
        guard !failures.isEmpty else { return [] }
        return failures.take(ignoring: { isGone($0.object) }) { registeredObject($0.object)?.state == .gone }
    }
}

extension ManagedObject {
    /// Ends the failure of an earlier edit of a property, which another edit has replaced.
    ///
    /// - Parameter member: The other object, in a relationship to several.
    final func endFailure(of property: PropertyID, _ member: ObjectID? = nil) {
        guard let context, !context.failures.isEmpty else { return }
        let edit = LostEdit(object: objectID, property: property, member: member)
        context.failures.remove { $0.isOfSameProperty(as: edit) }
    }

    /// Ends the failures of earlier edits of a reference, made on either side, which another edit has replaced.
    final func endFailures(of column: StoredProperty, setTo target: ManagedObject?) {
        guard let context, !context.failures.isEmpty else { return }
        endFailure(of: column.id)
        guard let target, let inverse = column.reference?.inverse else { return }
        target.endFailure(of: inverse.id, inverse.isSingle ? nil : objectID)
    }

    /// Ends the failures of earlier edits of a relationship to several and one object, made on either side, which another edit
    /// has replaced.
    final func endFailures(of many: ManyRelationship, changing object: ManagedObject) {
        guard let context, !context.failures.isEmpty else { return }
        endFailure(of: many.id, object.objectID)
        switch many.form {
        case .inverse(let column): object.endFailure(of: object.layout.columns[column].id)
        case .links:
            guard let inverse = object.layout.many(named: many.relationship.inverse) else { return }
            object.endFailure(of: inverse.id, objectID)
        }
    }

    /// Whether an object could not be added to a relationship, so that it does not have to be removed.
    final func hasLostAddition(of object: ManagedObject, to many: ManyRelationship) -> Bool {
        let edit = LostEdit(object: objectID, property: many.id, member: object.objectID)
        return context?.failures.lost(edit)?.isRemoval == false
    }
}
