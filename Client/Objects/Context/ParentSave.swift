internal import RoostModel

/// A save of a child context into its parent. Nothing is written to a store.
struct ParentSave {
    let context: ObjectContext
    let parent: ObjectContext

    /// Applies the changes of objects to the parent.
    ///
    /// - Throws: ``ObjectError`` with the code `conflict`; neither context is changed then.
    func save(_ objects: [ManagedObject]) throws -> SaveReport {
        try parent.refuseIfReadOnly("save to the parent context")
        let ordered = objects.filter { $0.state != .deleted } + objects.deletesInOrder
        let plan = try ordered.map { try step(for: $0) }
        var report = SaveReport()
        for (object, step) in zip(ordered, plan) {
            try carryOut(step, of: object, &report)
            context.recordNoChange(of: object)
        }
        let returned = Set(report.conflicts.filter { $0.outcome == .gaveUpDelete }.map(\.objectID))
        for store in context.coordinator.stores { context.settleHidden(in: store.id, butOf: returned) }
        context.returning = [:]
        context.pendingReferences = nil
        context.forgetRelationships()
        parent.forgetRelationships()
        if !report.inserted.isEmpty { parent.showWhatReturns() }
        context.deliverChanges()
        parent.deliverChanges()
        return report
    }

    private enum Step {
        case insert
        case write(ObjectMerge.Result, to: ManagedObject)
        case giveUp
        case delete(ManagedObject)
        case none
    }

    private func step(for object: ManagedObject) throws -> Step {
        let merging = ObjectMerge(policy: context.mergePolicy)
        let theirs = try parent.object(with: object.objectID)
        switch object.state {
        case .inserted:
            guard let theirs else { return .insert }
            return .write(try merging.merge(object, theirs: theirs.values), to: theirs)
        case .unchanged:
            guard let theirs else { return try merging.keepsEdits(of: object) ? .insert : .giveUp }
            return .write(try merging.merge(object, theirs: theirs.values), to: theirs)
        case .deleted:
            guard let theirs else { return .none }
            let isEdited = theirs.values != (object.committed ?? object.values)
            guard isEdited else { return .delete(theirs) }
            return try merging.keepsDelete(of: object) ? .delete(theirs) : .giveUp
        case .gone: return .none
        }
    }

    private func carryOut(_ step: Step, of object: ManagedObject, _ report: inout SaveReport) throws {
        let id = object.objectID
        switch step {
        case .insert:
            parent.adopt(id, object.layout, object.values)
            report.inserted.insert(id)
            object.state = .unchanged
        case .write(let result, let theirs):
            if !result.written.isEmpty {
                parent.recordUndo(of: theirs)
                parent.recordChange(of: theirs)
                theirs.values = result.values
                report.updated.insert(id)
            }
            if let outcome = result.conflict { report.conflicts.append(.init(objectID: id, outcome: outcome)) }
            object.values = result.values
            object.state = .unchanged
        case .giveUp:
            let isDelete = object.state == .deleted
            report.conflicts.append(.init(objectID: id, outcome: isDelete ? .gaveUpDelete : .gaveUpEdits))
            object.state = isDelete ? .unchanged : .gone
        case .delete(let theirs):
            try parent.delete(theirs)
            report.deleted.insert(id)
            object.state = .gone
        case .none: object.state = .gone
        }
    }
}
