internal import Replica
internal import RoostModel

extension ObjectContext {
    /// Groups changes that are undone together. A group within another group is part of that group.
    @discardableResult
    public func group<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
        undoHistory?.begin(name, content)
        defer {
            undoHistory?.end(content)
            deliverChanges()
        }
        return try body()
    }

    /// Undoes the newest group that is not undone.
    ///
    /// An undo makes new, unsaved edits, whatever was saved since. It restores a former value only where the object still has the
    /// value that the group left. Values that others, or later edits, changed since then stay, and the report lists them. Objects
    /// that a delete had hidden come back with the deleted object.
    ///
    /// The objects of the group are refreshed first, so that saved changes of others count, whether this context has applied them
    /// or not.
    ///
    /// - Returns: `nil` where there is nothing to undo, or no ``undoHistory``.
    /// - Throws: ``ObjectError`` with the code `store` where objects could not be read; some may be undone then.
    @discardableResult
    public func undo() throws -> UndoReport? {
        try catchUp()
        undoHistory?.closeImplicit(named: nil, content)
        try refreshForUndo(undoHistory?.nextUndo)
        guard let group = undoHistory?.takeUndo() else { return nil }
        defer { undoHistory?.finish(undoing: group) }
        return try putBack(group.reversed, isUndo: true)
    }

    /// Redoes the group that was undone last, by the rules of ``undo()``.
    @discardableResult
    public func redo() throws -> UndoReport? {
        try catchUp()
        undoHistory?.closeImplicit(named: nil, content)
        try refreshForUndo(undoHistory?.nextRedo)
        guard let group = undoHistory?.takeRedo() else { return nil }
        defer { undoHistory?.finish(redoing: group) }
        return try putBack(group, isUndo: false)
    }

    /// Records the content of an object for undo. Called before the object changes in any way other than by a refresh.
    func recordUndo(of object: ManagedObject) {
        guard undoHistory != nil else { return }
        undoHistory?.note(object.objectID, before: content(of: object.objectID))
    }

    /// Records for undo that an object is new.
    func recordUndo(ofNew object: ManagedObject) {
        undoHistory?.note(object.objectID, before: nil)
    }

    /// Returns the object's own content; `nil` where it does not exist. An object that another delete hides keeps its content,
    /// because the hiding is part of that delete.
    func content(of id: ObjectID) -> UndoGroup.Content {
        guard let object = registeredObject(id), object.state != .gone, object.state != .deleted else { return nil }
        return asWritten(object)
    }

    /// Returns the columns of an object with masked references as they are stored, so that an undo does not write the masking
    /// nil.
    private func asWritten(_ object: ManagedObject) -> [Value] {
        var values = object.values
        let shownNil = object.layout.columns.filter { column in
            column.reference?.isMaskable == true && values[column.index] == .null
                && (object.committed.map { $0[column.index] == .null } ?? (object.state == .unchanged))
        }
        guard !shownNil.isEmpty else { return values }
        do {
            let id = object.objectID
            let stored = try coordinator.store(id.store).backend.readHidden("read what a record names") {
                try $0.maskedReferences(of: id.key)
            }
            for column in shownNil {
                if let target = stored[column.id] { values[column.index] = .data(target.bytes) }
            }
        } catch {
            fail(error, "Cannot read what \(object) names")
        }
        return values
    }

    // MARK: Restoring

    /// Refreshes the objects of a group, to compare them with the changes of others. The user has not seen these changes yet, so
    /// an edit of this context still counts as an edit of the former value.
    private func refreshForUndo(_ group: UndoGroup?) throws {
        guard let group else { return }
        try refresh(
            group.changes.compactMap { registeredObject($0.id) }, from: ChangeOrigin.others)
    }

    private func putBack(_ group: UndoGroup, isUndo: Bool) throws -> UndoReport {
        var report = UndoReport(name: group.name)
        // Deleted objects are restored first, because other objects come back with them.
        let (back, others) = (group.changes.filter { $0.before == nil }, group.changes.filter { $0.before != nil })
        for change in back { try putBack(change, &report) }
        if !back.isEmpty { showWhatReturns() }
        let made = group.cameBack.union(group.changes.map(\.id))
        for change in others {
            // A new object with cascade children of others is not deleted, because the delete would hide them.
            if isUndo, change.after == nil,
                try hangingOff([change.id]).keys.contains(where: {
                    !made.contains($0) && model[$0.entity]?.isLink != true
                })
            {
                report.leftAlone.append(.init(objectID: change.id, reason: .thereSince))
                continue
            }
            try putBack(change, &report)
        }
        if !returning.isEmpty { showWhatReturns() }
        // Where an unsaved edit was undone, the refresh shows the value that others wrote in place of the edited one.
        try refresh(report.changed.compactMap { registeredObject($0) }, from: ChangeOrigin.others)
        forgetRelationships()
        deliverChanges()
        return report
    }

    private func putBack(_ change: UndoGroup.Change, _ report: inout UndoReport) throws {
        let current = try content(of: change.id) == nil ? object(with: change.id) : registeredObject(change.id)
        switch (change.before, change.after) {
        case (let before?, let after?): edit(change.id, current, from: before, to: after, &report)
        case (let before?, nil): try remove(change.id, current, before, &report)
        case (nil, let after?): bringBack(change.id, current, after, &report)
        case (nil, nil): break
        }
    }

    private func edit(
        _ id: ObjectID, _ current: ManagedObject?, from before: [Value], to after: [Value], _ report: inout UndoReport
    ) {
        guard let current else {
            report.leftAlone.append(.init(objectID: id, reason: .goneSince))
            return
        }
        let now = asWritten(current)
        let wanted = before.indices.filter { before[$0] != after[$0] && now[$0] != after[$0] }
        let others = wanted.filter { now[$0] != before[$0] }
        let mine = wanted.filter { now[$0] == before[$0] }
        if !others.isEmpty {
            let names = others.map { current.layout.columns[$0].name }
            report.leftAlone.append(.init(objectID: id, reason: .changedSince(names)))
        }
        guard !mine.isEmpty else { return }
        recordChange(of: current)
        for index in mine {
            // The committed value becomes the stored reference, because a masking nil is no value to return to. An unsaved edit
            // is not in the store.
            if current.values[index] != now[index] { current.committed?[index] = now[index] }
            current.values[index] = after[index]
        }
        report.changed.insert(id)
    }

    private func remove(
        _ id: ObjectID, _ current: ManagedObject?, _ before: [Value], _ report: inout UndoReport
    ) throws {
        guard let current else { return }
        guard asWritten(current) == before else {
            report.leftAlone.append(.init(objectID: id, reason: .thereSince))
            return
        }
        try delete(current)
        report.changed.insert(id)
    }

    private func bringBack(
        _ id: ObjectID, _ current: ManagedObject?, _ after: [Value], _ report: inout UndoReport
    ) {
        if let current {
            if asWritten(current) != after { report.leftAlone.append(.init(objectID: id, reason: .thereSince)) }
            return
        }
        guard let layout = model[id.entity] else { return }
        adopt(id, layout, after).broughtBack = after
        report.changed.insert(id)
    }
}
