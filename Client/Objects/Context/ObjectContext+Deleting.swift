internal import GRDB
internal import Replica
internal import RoostModel

extension ObjectContext {
    /// Deletes an object. What hangs off it by cascade is deleted with it at once, references to it by nullify read nil; deny is
    /// looked at when the context is saved. An object that is deleted already changes nothing.
    ///
    /// Only the object's own delete is written: what is hidden because of it is derived, and comes back with it.
    ///
    /// - Throws: ``ObjectError`` with the code `foreignObject` for an object of another context; `store` where what hangs off it
    ///   could not be read, and nothing is deleted then.
    public func delete(_ object: ManagedObject) throws {
        guard object.context === self else {
            throw ObjectError(
                .foreignObject,
                "Cannot delete \(object): it belongs to another context. Ask this one for it by its identifier.")
        }
        guard !object.isDeleted else { return }
        let closure = try hangingOff([object.objectID])
        if !model.incoming(object.objectID.entity).isEmpty { noteUndeliveredUnknown() }
        noteUndo(of: object)
        for (id, reason) in closure { hidden[id] = reason }
        let wasNew = object.state == .inserted
        noteDelete(of: object)
        // What came back with it, or hung off what hung off it, is as the store has it again.
        if wasNew, !returning.isEmpty { showWhatReturns() }
        if wasNew { hideWhatHangsOffDeleted() }
        forgetRelationships()
    }

    private func noteDelete(of object: ManagedObject) {
        if object.state == .inserted {
            // Nobody else can bring it back: what names it names nothing. One that was brought back is deleted again, as the store has it.
            if object.broughtBack == nil { clearReferences(to: object) }
            object.state = .gone
            noteNoChange(of: object)
            deleteWhatHungOff(object)
        } else {
            if let committed = object.committed { object.values = committed }
            object.state = .deleted
            noteChange(of: object)
        }
    }

    private func clearReferences(to object: ManagedObject) {
        for holder in changed.values {
            for column in holder.layout.columns where holder.targetID(of: column) == object.objectID {
                guard column.reference?.rule.deleteRule != .cascade else { continue }
                noteUndo(of: holder)
                holder.values[column.index] = .null
            }
        }
    }

    /// What hangs off a new object that was deleted goes for itself: the record that it names will never be there.
    private func deleteWhatHungOff(_ object: ManagedObject) {
        for (id, reason) in hidden where reason == object.objectID {
            hidden[id] = nil
            guard let member = changed[id] else { continue }
            noteUndo(of: member)
            if member.state == .inserted {
                member.state = .gone
                noteNoChange(of: member)
            } else {
                if let committed = member.committed { member.values = committed }
                member.state = .deleted
            }
        }
    }

    /// What cascades take with objects, to any depth, each with the object that is the reason. Already hidden ones are left out.
    func hangingOff(_ roots: [ObjectID]) throws -> [ObjectID: ObjectID] {
        var found: [ObjectID: ObjectID] = [:]
        var level = roots.map { (id: $0, root: $0) }
        while !level.isEmpty {
            var next: [(id: ObjectID, root: ObjectID)] = []
            for (entity, members) in Dictionary(grouping: level, by: \.id.entity).sorted(by: {
                $0.key.rawValue < $1.key.rawValue
            }) {
                for (rule, holder, column) in model.incoming(entity) where rule.deleteRule == .cascade {
                    let reasons = Dictionary(members.map { ($0.id, $0.root) }) { first, _ in first }
                    for (id, target) in try referrers(to: members.map(\.id), holder, column) {
                        guard found[id] == nil, hidden[id] == nil, !roots.contains(id), let root = reasons[target]
                        else {
                            continue
                        }
                        found[id] = root
                        next.append((id, root))
                    }
                }
            }
            level = next
        }
        return found
    }

    /// Derives anew what is hidden, after a delete was taken back.
    func hideWhatHangsOffDeleted() {
        // Asked for with each object that is made under a given identifier: not to be looked for among all of them.
        guard !hidden.isEmpty || deletedCount > 0 else { return }
        let deleted = changed.values.filter { $0.state == .deleted }.map(\.objectID)
        hidden = [:]
        do {
            hidden = try hangingOff(deleted)
        } catch {
            fail(error, "Cannot see what hangs off deleted objects")
        }
    }

    /// The visible objects that name others by one reference, as this context has it, and which they name.
    ///
    /// - Parameter asWritten: Whether those count whose reference reads nil because this context deletes the other.
    func referrers(
        to targets: [ObjectID], _ holder: EntityDescription, _ column: StoredProperty, asWritten: Bool = false
    ) throws -> [(id: ObjectID, target: ObjectID)] {
        var found: [(id: ObjectID, target: ObjectID)] = []
        for (store, ids) in Dictionary(grouping: targets, by: \.store) {
            let destination = ids[0].entity
            try read(store, "look for what names an object", asWritten: asWritten) { database in
                try database.query(ids.map(\.record)) { marks in
                    "SELECT id, \(column.quoted) FROM \(holder.table) WHERE \(column.quoted) IN (\(marks))"
                } read: { row in
                    guard let id = row.id(0), let target = row.id(1) else { return }
                    found.append(
                        (
                            ObjectID(record: id, entity: holder.id, store: store),
                            ObjectID(record: target, entity: destination, store: store)
                        ))
                }
            }
        }
        return found
    }

    /// Keeps a failure of something that cannot throw for the next save.
    func fail(_ error: any Error, _ action: String) {
        guard failure == nil else { return }
        failure = error as? ObjectError ?? ObjectError(.store, "\(action): \(error)", cause: error as? ReplicaError)
    }
}
