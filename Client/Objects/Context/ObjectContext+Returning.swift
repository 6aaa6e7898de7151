internal import Replica
internal import RoostMerge
internal import RoostModel

/// The objects that come back with a deleted record before that is saved: objects that its delete had hidden, and objects whose
/// references to it were masked.
extension ObjectContext {
    /// Derives again the objects that come back with the records that this context brings back.
    func showWhatReturns() {
        let before = Set(returning.keys)
        returning = [:]
        defer { pendingReferences = nil }
        do {
            for store in coordinator.stores {
                let roots = changed.values.filter {
                    $0.state == .inserted && $0.mayBeStored && $0.objectID.store == store.id
                }
                .map(\.objectID)
                guard !roots.isEmpty else { continue }
                let deleted = try store.backend.readHidden("look for deleted records") {
                    try $0.deleted(among: roots.map(\.key))
                }
                try showWhatReturns(with: roots.filter { deleted.contains($0.key) }, store)
            }
            try refresh(before.union(returning.keys).compactMap { registeredObject($0) }, from: [.thisContext])
        } catch {
            fail(error, "Cannot see what comes back with a deleted object")
        }
    }

    private func showWhatReturns(with roots: [ObjectID], _ store: ObjectStore) throws {
        var level = roots
        var back = roots
        while !level.isEmpty {
            var next: [ObjectID] = []
            for (rule, holder, column, records) in referrers(of: level) where rule.deleteRule == .cascade {
                let rows = try store.backend.readHidden("look for hidden records") {
                    try $0.rows(holder.id, naming: records, by: column.id)
                }
                for (record, values) in rows {
                    let id = ObjectID(record: record, entity: holder.id, store: store.id)
                    guard returning[id] == nil, try hangsOffVisible(holder, values, store.id) else { continue }
                    returning[id] = values
                    // The cascade children of an object that this context deletes do not come back with it.
                    if changed[id]?.state != .deleted { next.append(id) }
                }
            }
            back += next
            level = next
        }
        // References to all objects that come back count, so they are read after the objects.
        for (rule, holder, column, records) in referrers(of: back) {
            guard rule.deleteRule == .nullify || rule.deleteRule == .deny else { continue }
            try showReferences(to: records, holder, column, store)
        }
    }

    /// Returns the references that may name some records, by ascending entity of the records.
    private func referrers(of ids: [ObjectID]) -> [(
        rule: ReferenceRules.Rule, holder: EntityDescription, column: StoredProperty, records: [RecordID]
    )] {
        Dictionary(grouping: ids, by: \.entity).sorted { $0.key < $1.key }.flatMap { entity, members in
            model.incoming(entity).map { ($0.rule, $0.holder, $0.column, members.map(\.record)) }
        }
    }

    /// Shows masked references to records that come back.
    private func showReferences(
        to records: [RecordID], _ holder: EntityDescription, _ column: StoredProperty, _ store: ObjectStore
    ) throws {
        let holders = try store.backend.readHidden("look for references that read nil") {
            try $0.maskedHolders(holder.id, naming: records, by: column.id)
        }
        for (record, target, isVisible) in holders {
            let id = ObjectID(record: record, entity: holder.id, store: store.id)
            guard isVisible || returning[id] != nil else { continue }
            // For an object with edits, the values from which it was edited.
            let stored = changed[id]?.committed
            guard var values = try returning[id] ?? stored ?? object(with: id)?.values else { continue }
            values[column.index] = .data(target.bytes)
            returning[id] = values
        }
    }

    /// Whether all cascade parents of a hidden record exist: each is visible, or comes back itself.
    private func hangsOffVisible(_ holder: EntityDescription, _ values: [Value], _ store: StoreID) throws -> Bool {
        for column in holder.columns where column.reference?.rule.deleteRule == .cascade {
            guard let reference = column.reference, let record = values[column.index].recordID else { continue }
            let target = ObjectID(record: record, entity: reference.destination, store: store)
            guard try returning[target] != nil || object(with: target) != nil else { return false }
        }
        return true
    }
}
