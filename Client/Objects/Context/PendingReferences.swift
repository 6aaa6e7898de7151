internal import GRDB
internal import Replica
internal import RoostModel

/// The references of a context's unsaved objects by their targets, so that a delete finds what names its object without a search
/// of all unsaved objects.
///
/// It is made by the first lookup after a save. Later changes are added by the next lookup. An object that has changed since may
/// name another target, or be gone: a lookup checks what it finds.
struct PendingReferences {
    private var holders: [ObjectID: Set<ObjectID>] = [:]
    /// The objects that have changed since the last lookup.
    private var changed: Set<ObjectID> = []

    /// Records that an object has changed, or is about to change.
    mutating func noteChange(of id: ObjectID) { changed.insert(id) }

    /// Returns the objects that have changed since the last lookup.
    mutating func takeChanged() -> Set<ObjectID> {
        defer { changed = [] }
        return changed
    }

    mutating func add(_ id: ObjectID, _ layout: EntityDescription, _ values: [Value]) {
        for column in layout.columns {
            guard let reference = column.reference, let record = values[column.index].recordID else { continue }
            let target = ObjectID(record: record, entity: reference.destination, store: id.store)
            holders[target, default: []].insert(id)
        }
    }

    /// Returns the objects that name an object, or did so at an earlier lookup.
    func holders(of target: ObjectID) -> Set<ObjectID> { holders[target] ?? [] }
}

/// The unsaved state of a record.
enum PendingState {
    /// The record is visible with these columns.
    case row([Value])
    /// The record is deleted, or hidden by a delete.
    case gone
}

extension ObjectContext {
    /// Returns the unsaved state of a record in this context and its ancestors; `nil` where it is as stored.
    func pendingState(of id: ObjectID) -> PendingState? {
        if hidden[id] != nil { return .gone }
        if let object = changed[id] {
            switch object.state {
            case .deleted, .gone: return .gone
            case .inserted, .unchanged: if object.hasChanges { return .row(object.values) }
            }
        }
        return returning[id].map { .row($0) } ?? parent?.pendingState(of: id)
    }

    /// Returns the visible objects that name others by one reference, as this context sees them, with the objects that they name.
    /// References that are masked because this context deletes their target count as written.
    ///
    /// Only saved objects are read, without the unsaved ones laid over them: the cost depends on what is found, and not on all
    /// that is unsaved.
    func referrers(
        to targets: [ObjectID], _ holder: EntityDescription, _ column: StoredProperty
    ) throws -> [(id: ObjectID, target: ObjectID)] {
        var found: [(id: ObjectID, target: ObjectID)] = []
        for (store, ids) in Dictionary(grouping: targets, by: \.store) {
            let destination = ids[0].entity
            readCount += 1
            try coordinator.store(store).backend.read("look for what names an object") { database in
                try database.query(ids.map(\.record)) { marks in
                    "SELECT id, \(column.quoted) FROM \(holder.table) WHERE \(column.quoted) IN (\(marks))"
                } read: { row in
                    guard let record = row.id(0), let target = row.id(1) else { return }
                    let id = ObjectID(record: record, entity: holder.id, store: store)
                    guard pendingState(of: id) == nil else { return }
                    found.append((id, ObjectID(record: target, entity: destination, store: store)))
                }
            }
        }
        for target in targets {
            for id in pendingHolders(of: target) where id.entity == holder.id {
                guard case .row(let values)? = pendingState(of: id), values[column.index].recordID == target.record
                else { continue }
                found.append((id, target))
            }
        }
        return found
    }

    /// Returns the unsaved objects of this context and its ancestors that may name an object.
    private func pendingHolders(of target: ObjectID) -> Set<ObjectID> {
        ownPendingHolders(of: target).union(parent?.pendingHolders(of: target) ?? [])
    }

    /// Returns the unsaved objects of this context that may name an object.
    func ownPendingHolders(of target: ObjectID) -> Set<ObjectID> {
        guard !changed.isEmpty || !returning.isEmpty else { return [] }
        // Moved out of the property while it grows, so that it is not copied.
        var references = pendingReferences ?? PendingReferences()
        let isNew = pendingReferences == nil
        pendingReferences = nil
        if isNew {
            for object in changed.values { references.add(object.objectID, object.layout, object.values) }
            for (id, values) in returning { model[id.entity].map { references.add(id, $0, values) } }
        } else {
            for case let object? in references.takeChanged().map({ changed[$0] }) {
                references.add(object.objectID, object.layout, object.values)
            }
        }
        pendingReferences = references
        return references.holders(of: target)
    }
}
