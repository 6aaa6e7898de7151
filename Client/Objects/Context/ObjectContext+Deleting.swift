internal import RoostModel

extension ObjectContext {
    /// Deletes an object. Its cascade children are deleted with it at once, and references to it with the rule `nullify` are
    /// masked. The rule `deny` is checked when the context is saved. An object that is already deleted changes nothing.
    ///
    /// Only the object's own delete is written. The hidden objects are derived from it, and come back with it.
    ///
    /// - Throws: ``ObjectError`` with the code `foreignObject` for an object of another context; `store` where the cascade
    ///   children could not be read. Nothing is deleted then.
    public func delete(_ object: ManagedObject) throws {
        guard object.context === self else {
            throw ObjectError(
                .foreignObject,
                "Cannot delete \(object): it belongs to another context. Ask this one for it by its identifier.")
        }
        guard !object.isDeleted else { return }
        try refuseIfReadOnly("delete \(object)")
        let closure = try hangingOff([object.objectID])
        if !model.incoming(object.objectID.entity).isEmpty { recordUndeliveredUnknown() }
        recordUndo(of: object)
        for (id, reason) in closure { hidden[id] = reason }
        if object.state == .inserted {
            recordDelete(ofNew: object, Array(closure.keys))
        } else {
            if let committed = object.committed { object.values = committed }
            object.state = .deleted
            recordChange(of: object)
        }
        forgetRelationships()
    }

    /// Records the delete of a new object.
    ///
    /// - Parameter closure: Its cascade children, to any depth.
    private func recordDelete(ofNew object: ManagedObject, _ closure: [ObjectID]) {
        // No other context can bring a new object back, so references to it are cleared. An object that was brought back is
        // deleted again, as in the store.
        if object.broughtBack == nil { clearReferences(to: object) }
        recordEnd(ofNew: object)
        let deleted = deleteForThemselves(closure)
        // Objects that came back with the object, and the children of its cascade children, are derived again from the store.
        guard returning.isEmpty else {
            showWhatReturns()
            hideWhatHangsOffDeleted()
            return
        }
        hideWhatHangsOff(deleted)
    }

    /// Records that a new object was deleted. Its lost edits do not matter any more.
    private func recordEnd(ofNew object: ManagedObject) {
        object.state = .gone
        recordNoChange(of: object)
        if !failures.isEmpty { failures.remove { $0.object == object.objectID } }
    }

    private func clearReferences(to object: ManagedObject) {
        for case let holder? in ownPendingHolders(of: object.objectID).map({ changed[$0] }) {
            for column in holder.layout.columns where holder.targetID(of: column) == object.objectID {
                guard column.reference?.rule.deleteRule != .cascade else { continue }
                recordUndo(of: holder)
                holder.values[column.index] = .null
            }
        }
    }

    /// Deletes the cascade children of a deleted new object for themselves, because the record that they name will never exist.
    ///
    /// - Returns: The saved ones of them.
    private func deleteForThemselves(_ closure: [ObjectID]) -> [ObjectID] {
        var deleted: [ObjectID] = []
        for id in closure {
            hidden[id] = nil
            guard let member = changed[id] else { continue }
            recordUndo(of: member)
            if member.state == .inserted {
                recordEnd(ofNew: member)
            } else {
                if let committed = member.committed { member.values = committed }
                member.state = .deleted
                deleted.append(id)
            }
        }
        return deleted
    }

    /// Returns the cascade children of objects, to any depth, each with the object that is the reason. Objects that are already
    /// hidden are left out.
    func hangingOff(_ roots: [ObjectID]) throws -> [ObjectID: ObjectID] {
        var found: [ObjectID: ObjectID] = [:]
        let known = Set(roots)
        var level = roots.map { (id: $0, root: $0) }
        while !level.isEmpty {
            var next: [(id: ObjectID, root: ObjectID)] = []
            for (entity, members) in Dictionary(grouping: level, by: \.id.entity).sorted(by: {
                $0.key.rawValue < $1.key.rawValue
            }) {
                for (rule, holder, column) in model.incoming(entity) where rule.deleteRule == .cascade {
                    let reasons = Dictionary(members.map { ($0.id, $0.root) }) { first, _ in first }
                    for (id, target) in try referrers(to: members.map(\.id), holder, column) {
                        guard found[id] == nil, hidden[id] == nil, !known.contains(id), let root = reasons[target]
                        else { continue }
                        found[id] = root
                        next.append((id, root))
                    }
                }
            }
            level = next
        }
        return found
    }

    /// Derives the hidden objects again, after a delete was rolled back.
    func hideWhatHangsOffDeleted() {
        // The guard avoids a search of all changed objects for each object that is made with a given identifier.
        guard !hidden.isEmpty || deletedCount > 0 else { return }
        let deleted = changed.values.filter { $0.state == .deleted }.map(\.objectID)
        hidden = [:]
        hideWhatHangsOff(deleted)
    }

    /// Hides the cascade children of deleted objects.
    private func hideWhatHangsOff(_ deleted: [ObjectID]) {
        guard !deleted.isEmpty else { return }
        do {
            for (id, reason) in try hangingOff(deleted) { hidden[id] = reason }
        } catch {
            fail(error, "Cannot see what hangs off deleted objects")
        }
    }
}
