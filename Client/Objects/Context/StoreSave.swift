internal import GRDB
internal import Replica
internal import RoostModel

/// A save of one context's changes to one store. The objects change only after the commit.
final class StoreSave {
    private let context: ObjectContext
    private let store: StoreID
    private let merging: ObjectMerge
    private var outcomes: [(object: ManagedObject, outcome: Outcome)] = []
    private var conflicts: [SaveReport.Conflict] = []
    private var transaction: (any StoreTransaction)?
    /// Records to which the written records no longer refer by a deny rule. A deleted one goes with the last record that refers
    /// to it.
    private(set) var released: Set<ObjectID> = []
    /// Whether a deleted object is still visible, with its cascade children.
    private(set) var hasKept = false
    /// Whether the save brings deleted records back. Their cascade children and masked references to them may come back too.
    private(set) var bringsBack = false

    private enum Outcome {
        case inserted([Value])
        case updated([Value])
        case deleted
        /// The written record is hidden because of another record.
        case hidden
        /// Nothing was written. The store has the given columns, or does not show the record.
        case left([Value]?)
    }

    init(_ store: StoreID, _ context: ObjectContext) {
        self.context = context
        self.store = store
        merging = ObjectMerge(policy: context.mergePolicy)
    }

    // MARK: Writing

    /// Writes objects in a transaction.
    ///
    /// - Parameter objects: The objects in the order of their changes.
    /// - Throws: ``ObjectError`` with the code `conflict`, after all objects were checked.
    func write(_ objects: [ManagedObject], _ transaction: any StoreTransaction) throws {
        self.transaction = transaction
        var refused: [String] = []
        func attempt(_ object: ManagedObject, _ body: () throws -> Void) throws {
            do {
                try body()
            } catch let error as ObjectError where error.code == .conflict {
                refused.append(error.message)
            }
        }
        let puts = objects.filter { $0.state != .deleted }
        let rows = try StoredRows(puts.filter(\.isInserted), transaction.database)
        for object in puts {
            try attempt(object) {
                if object.isInserted { try insert(object, rows, transaction) } else { try update(object, transaction) }
            }
        }
        for object in objects.deletesInOrder { try attempt(object) { try delete(object, transaction) } }
        guard refused.isEmpty else {
            throw ObjectError(
                .conflict, "Cannot save: others changed what is to be saved. Refresh it, or choose whose changes stay.",
                problems: refused)
        }
    }

    private func insert(_ object: ManagedObject, _ rows: StoredRows, _ transaction: any StoreTransaction) throws {
        if rows.contains(object.objectID), !object.layout.isLink {
            try update(object, transaction)
            return
        }
        let wasDeleted =
            try object.mayBeStored
            && transaction.place(of: object.layout.name, id: object.objectID.record) == .deleted
        guard wasDeleted else {
            try write(new: object, isThere: rows.contains(object.objectID), transaction)
            outcomes.append((object, .inserted(object.values)))
            return
        }
        // Its references that are masked while it is deleted stay stored.
        bringsBack = true
        try transaction.undelete(object.layout.name, id: object.objectID.record)
        let row = try row(of: object, transaction.database) ?? []
        let columns = object.layout.columns
        let base = object.broughtBack ?? row
        let others = row.isEmpty ? columns : columns.filter { base[$0.index] != object.values[$0.index] }
        if !others.isEmpty { try put(object, others, object.values, transaction) }
        outcomes.append((object, .inserted(object.values)))
    }

    /// Writes a new object.
    ///
    /// - Parameter isThere: Whether the store already shows its record, as it may for a link.
    private func write(new object: ManagedObject, isThere: Bool, _ transaction: any StoreTransaction) throws {
        if isThere {
            try put(object, object.layout.columns, object.values, transaction)
        } else {
            try transaction.insert(object.objectID.key, object.values)
        }
    }

    private func update(_ object: ManagedObject, _ transaction: any StoreTransaction) throws {
        guard let theirs = try row(of: object, transaction.database) else {
            try updateHidden(object, transaction)
            return
        }
        let merged = try merging.merge(object, theirs: theirs)
        recordReleased(by: object, holding: theirs, now: merged.values)
        if !merged.written.isEmpty {
            try put(object, merged.written.map { object.layout.columns[$0] }, merged.values, transaction)
        }
        let cleared = object.layout.columns.filter { column in
            guard column.reference?.isMaskable == true, let base = object.committed?[column.index] else { return false }
            return base != .null && object.values[column.index] == .null && theirs[column.index] == .null
        }
        for column in cleared {
            try transaction.clearReference(object.layout.name, id: object.objectID.record, column.name)
        }
        note(merged.conflict, object)
        outcomes.append(
            (object, merged.written.isEmpty && cleared.isEmpty ? .left(merged.values) : .updated(merged.values)))
    }

    /// Writes the edits of an object whose record the store no longer shows.
    private func updateHidden(_ object: ManagedObject, _ transaction: any StoreTransaction) throws {
        let edited = object.layout.columns.filter { object.committed?[$0.index] != object.values[$0.index] }
        // The record comes back with another object of this save.
        if context.returning[object.objectID] != nil {
            try put(object, edited, object.values, transaction)
            outcomes.append((object, .updated(object.values)))
            return
        }
        guard try merging.keepsEdits(of: object) else {
            note(.gaveUpEdits, object)
            outcomes.append((object, .left(nil)))
            return
        }
        let place = try transaction.place(of: object.layout.name, id: object.objectID.record)
        if place == .deleted {
            bringsBack = true
            try transaction.undelete(object.layout.name, id: object.objectID.record)
        }
        try put(object, place == .nowhere ? object.layout.columns : edited, object.values, transaction)
        note(place == .hidden ? .staysHidden : .broughtBack, object)
        outcomes.append((object, place == .hidden ? .hidden : .updated(object.values)))
    }

    private func delete(_ object: ManagedObject, _ transaction: any StoreTransaction) throws {
        // A record that comes back with another object of this save is hidden until the transaction ends.
        if context.returning[object.objectID] != nil { try put(object, [], [], transaction) }
        guard let theirs = try row(of: object, transaction.database) else {
            outcomes.append((object, .deleted))
            return
        }
        let isEdited = theirs != (object.committed ?? object.values)
        if isEdited, try !merging.keepsDelete(of: object) {
            note(.gaveUpDelete, object)
            outcomes.append((object, .left(theirs)))
            return
        }
        recordReleased(by: object, holding: theirs, now: nil)
        try transaction.delete(object.layout.name, id: object.objectID.record)
        if isEdited { note(.deletedTheirs, object) }
        outcomes.append((object, .deleted))
    }

    private func recordReleased(by object: ManagedObject, holding before: [Value], now: [Value]?) {
        guard object.layout.keepsOthers else { return }
        for column in object.layout.columns where column.reference?.rule.deleteRule == .deny {
            guard before[column.index] != now?[column.index], let record = before[column.index].recordID,
                let entity = column.reference?.destination
            else { continue }
            released.insert(ObjectID(record: record, entity: entity, store: store))
        }
    }

    private func put(
        _ object: ManagedObject, _ columns: [StoredProperty], _ values: [Value], _ transaction: any StoreTransaction
    ) throws {
        let named = Dictionary(uniqueKeysWithValues: columns.map { ($0.name, values[$0.index]) })
        try transaction.put(object.layout.name, id: object.objectID.record, named)
    }

    private func row(of object: ManagedObject, _ database: Database) throws -> [Value]? {
        let layout = object.layout
        let query = try database.query("SELECT \(layout.columnList("t0")) FROM \(layout.table) AS t0 WHERE t0.id = ?")
        query.bind(1, object.objectID.record)
        return try query.first { row in row.values(from: 1, as: layout.kinds) }
    }

    private func note(_ outcome: SaveReport.Conflict.Outcome?, _ object: ManagedObject) {
        guard let outcome else { return }
        conflicts.append(SaveReport.Conflict(objectID: object.objectID, outcome: outcome))
    }

    // MARK: After the commit

    /// Applies the written values to the objects, and adds to a report.
    func finish(_ report: inout SaveReport) {
        for (object, outcome) in outcomes {
            let id = object.objectID
            switch outcome {
            case .inserted(let values):
                settle(object, values)
                report.inserted.insert(id)
            case .updated(let values):
                settle(object, values)
                report.updated.insert(id)
            case .deleted:
                settle(object, nil)
                report.deleted.insert(id)
            case .hidden:
                settle(object, nil)
                report.updated.insert(id)
            case .left(let values): settle(object, values)
            }
        }
        report.conflicts += conflicts
        context.settleHidden(in: store, butOf: returned)
        if !conflicts.isEmpty { context.forgetRelationships() }
    }

    /// The records that listeners have to read again.
    var extent: StoreChange.Extent {
        let mayHide = outcomes.contains { object, outcome -> Bool in
            switch outcome {
            case .deleted, .hidden:
                return !context.model.incoming(object.objectID.entity).isEmpty || object.layout.keepsOthers
            case .updated: return object.layout.keepsOthers
            case .inserted, .left: return false
            }
        }
        return bringsBack || mayHide ? .unknown : .records(Set(outcomes.map(\.object.objectID)))
    }

    /// Objects that were written with references to objects that are not visible; the store masks these references.
    var shownOtherwise: [ManagedObject] {
        (hasDeletes ? context.registeredObjects : outcomes.map(\.object)).filter { object in
            object.state == .unchanged && object.objectID.store == store
                && object.layout.columns.contains { column in
                    guard column.reference?.isMaskable == true, let id = object.targetID(of: column) else {
                        return false
                    }
                    return context.registeredObject(id).map { $0.state == .gone } ?? true
                }
        }
    }

    /// Objects whose delete was discarded.
    var returned: Set<ObjectID> { Set(conflicts.filter { $0.outcome == .gaveUpDelete }.map(\.objectID)) }

    /// Checks whether the written objects are visible, and adds to a report. A cascade parent may have been deleted elsewhere;
    /// the object is then stored, hidden and reported.
    func lookAtHidden(_ report: inout SaveReport) throws {
        guard mayHideWritten else { return }
        let written = outcomes.compactMap { object, outcome -> ManagedObject? in
            switch outcome {
            case .inserted, .updated, .hidden: return object.hangsOffAnother ? object : nil
            case .deleted, .left: return nil
            }
        }
        guard !written.isEmpty else { return }
        let rows = try context.coordinator.store(store).backend.read("look at what was saved") {
            try StoredRows(written, $0)
        }
        for object in written {
            let isVisible = rows.contains(object.objectID)
            let said = SaveReport.Conflict(objectID: object.objectID, outcome: .staysHidden)
            if !isVisible, object.state == .unchanged {
                object.state = .gone
                report.conflicts.append(said)
            } else if isVisible, object.state == .gone {
                object.state = .unchanged
                report.conflicts.removeAll { $0 == said }
            }
        }
    }

    /// Whether written objects may be invisible, because of a delete or by the transaction's own account.
    private var mayHideWritten: Bool {
        transaction?.mayHideWritten ?? true || hasDeletes
    }

    private var hasDeletes: Bool { outcomes.contains { if case .deleted = $0.outcome { true } else { false } } }

    /// Checks whether deleted objects are kept visible, and adds to a report. Hidden records keep them by a deny rule, too.
    func lookAtKept(_ report: inout SaveReport) throws {
        let deleted = outcomes.compactMap { object, outcome -> ManagedObject? in
            guard case .deleted = outcome else { return nil }
            return context.model.incoming(object.objectID.entity).contains { $0.rule.deleteRule == .deny }
                ? object : nil
        }
        guard !deleted.isEmpty else { return }
        let rows = try context.coordinator.store(store).backend.read("look at what was deleted") {
            try StoredRows(deleted, $0)
        }
        for object in deleted where rows.contains(object.objectID) {
            guard case .kept(let keepers) = try context.liveness(of: object.objectID) else { continue }
            hasKept = true
            report.conflicts.append(.init(objectID: object.objectID, outcome: .kept(by: keepers)))
        }
    }

    private func settle(_ object: ManagedObject, _ values: [Value]?) {
        // Changes of others that were merged may move the object in relationships, too.
        if let values, values != object.values {
            object.values = values
            context.forgetRelationships()
        }
        object.state = values == nil ? .gone : .unchanged
        context.recordNoChange(of: object)
    }
}

extension ManagedObject {
    /// Whether the object is a cascade child, so that a delete of another object would hide it.
    fileprivate var hangsOffAnother: Bool {
        layout.columns.contains { $0.reference?.rule.deleteRule == .cascade && values[$0.index] != .null }
    }
}

extension EntityDescription {
    /// Whether its records can keep a deleted record visible by a deny rule.
    fileprivate var keepsOthers: Bool { columns.contains { $0.reference?.rule.deleteRule == .deny } }
}
