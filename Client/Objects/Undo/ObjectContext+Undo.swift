internal import Replica
internal import RoostModel

extension ObjectContext {
    /// Makes changes that are undone together. Within another group they belong to that one.
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
    /// An undo is new, unsaved edits, whatever was saved since. It puts back what was there before only where what the group left is
    /// still there; what others, or later edits, changed since stays as it is, and the report says so. What a delete had hidden
    /// comes back with it.
    ///
    /// The objects of the group are refreshed first: what others have saved counts, whether this context has seen it or not.
    ///
    /// - Returns: `nil` where there is nothing to undo, or no ``undoHistory``.
    /// - Throws: ``ObjectError`` with the code `store` where objects could not be read; some may be undone then.
    @discardableResult
    public func undo() throws -> UndoReport? {
        undoHistory?.closeImplicit(named: nil, content)
        try refreshForUndo(undoHistory?.nextUndo)
        guard let group = undoHistory?.takeUndo() else { return nil }
        defer { undoHistory?.finish(undoing: group) }
        return try putBack(group.reversed, isUndo: true)
    }

    /// Does again what was undone last, in the same way as ``undo()``.
    @discardableResult
    public func redo() throws -> UndoReport? {
        undoHistory?.closeImplicit(named: nil, content)
        try refreshForUndo(undoHistory?.nextRedo)
        guard let group = undoHistory?.takeRedo() else { return nil }
        defer { undoHistory?.finish(redoing: group) }
        return try putBack(group, isUndo: false)
    }

    /// Called before an object changes in any way but by a refresh.
    func noteUndo(of object: ManagedObject) {
        guard undoHistory != nil else { return }
        undoHistory?.note(object.objectID, before: content(of: object.objectID))
    }

    /// Called for an object that was not there before.
    func noteUndo(ofNew object: ManagedObject) {
        undoHistory?.note(object.objectID, before: nil)
    }

    /// What an object holds by itself: a delete of another that hides it is that one's change.
    func content(of id: ObjectID) -> UndoGroup.Content {
        guard let object = registeredObject(id), object.state != .gone, object.state != .deleted else { return nil }
        return asWritten(object)
    }

    /// The columns of an object, with references that read nil while their object is deleted as they are stored: an undo is not to
    /// write the nil that is shown.
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
                if let target = stored[column.id] { values[column.index] = .bytes(target.bytes) }
            }
        } catch {
            fail(error, "Cannot read what \(object) names")
        }
        return values
    }

    // MARK: Putting back

    /// Lets what others have written be compared with. Nobody has seen it yet, so that an edit of mine beside it is still one of what
    /// was there before.
    private func refreshForUndo(_ group: UndoGroup?) throws {
        guard let group else { return }
        try refresh(
            group.changes.compactMap { registeredObject($0.id) }, from: ChangeOrigin.others)
    }

    private func putBack(_ group: UndoGroup, isUndo: Bool) throws -> UndoReport {
        var report = UndoReport(name: group.name)
        // What was deleted first: others come back with it.
        let (back, others) = (group.changes.filter { $0.before == nil }, group.changes.filter { $0.before != nil })
        for change in back { try putBack(change, &report) }
        if !back.isEmpty { showWhatReturns() }
        let made = group.cameBack.union(group.changes.map(\.id))
        for change in others {
            // What others hung off an object since goes with nothing of mine.
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
        // Where an edit was not saved yet, what others wrote over what it was an edit of shows without it.
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
        noteChange(of: current)
        for index in mine {
            // A nil that is shown in place of what is stored is no nil to come back to. An edit that is not saved is nothing that
            // the store has.
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
