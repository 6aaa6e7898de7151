internal import RoostModel

extension ObjectContext {
    /// Makes changes that are undone together. Within another group they belong to that one.
    public func group<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
        undoHistory?.begin(name, content)
        defer { undoHistory?.end(content) }
        return try body()
    }

    /// Undoes the newest group that is not undone.
    ///
    /// An undo is new, unsaved edits, whatever was saved since. It puts back what was there before only where what the group left is
    /// still there; what others, or later edits, changed since stays as it is, and the report says so.
    ///
    /// - Returns: `nil` where there is nothing to undo, or no ``undoHistory``.
    /// - Throws: ``ObjectError`` with the code `store` where objects could not be read; some may be undone then.
    @discardableResult
    public func undo() throws -> UndoReport? {
        undoHistory?.closeImplicit(named: nil, content)
        guard let group = undoHistory?.takeUndo() else { return nil }
        defer { undoHistory?.finish(undoing: group) }
        return try putBack(group.reversed)
    }

    /// Does again what was undone last, in the same way as ``undo()``.
    @discardableResult
    public func redo() throws -> UndoReport? {
        undoHistory?.closeImplicit(named: nil, content)
        guard let group = undoHistory?.takeRedo() else { return nil }
        defer { undoHistory?.finish(redoing: group) }
        return try putBack(group)
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

    func content(of id: ObjectID) -> UndoGroup.Content {
        guard let object = registeredObject(id), object.state != .gone, !isGone(id) else { return nil }
        return object.values
    }

    // MARK: Putting back

    private func putBack(_ group: UndoGroup) throws -> UndoReport {
        var report = UndoReport(name: group.name)
        for change in group.changes {
            let current = try object(with: change.id)
            switch (change.before, change.after) {
            case (let before?, let after?): edit(change.id, current, from: before, to: after, &report)
            case (let before?, nil): try remove(change.id, current, before, &report)
            case (nil, let after?): bringBack(change.id, current, after, &report)
            case (nil, nil): break
            }
        }
        forgetRelationships()
        return report
    }

    private func edit(
        _ id: ObjectID, _ current: ManagedObject?, from before: [Value], to after: [Value], _ report: inout UndoReport
    ) {
        guard let current else {
            report.leftAlone.append(.init(objectID: id, reason: .goneSince))
            return
        }
        let wanted = before.indices.filter { before[$0] != after[$0] && current.values[$0] != after[$0] }
        let others = wanted.filter { current.values[$0] != before[$0] }
        let mine = wanted.filter { current.values[$0] == before[$0] }
        if !others.isEmpty {
            let names = others.map { current.layout.columns[$0].name }
            report.leftAlone.append(.init(objectID: id, reason: .changedSince(names)))
        }
        guard !mine.isEmpty else { return }
        noteChange(of: current)
        for index in mine { current.values[index] = after[index] }
        report.changed.insert(id)
    }

    private func remove(
        _ id: ObjectID, _ current: ManagedObject?, _ before: [Value], _ report: inout UndoReport
    ) throws {
        guard let current else { return }
        guard current.values == before else {
            report.leftAlone.append(.init(objectID: id, reason: .thereSince))
            return
        }
        try delete(current)
        report.changed.insert(id)
    }

    private func bringBack(
        _ id: ObjectID, _ current: ManagedObject?, _ after: [Value], _ report: inout UndoReport
    ) {
        guard current == nil else {
            if current?.values != after { report.leftAlone.append(.init(objectID: id, reason: .thereSince)) }
            return
        }
        guard let layout = model[id.entity] else { return }
        adopt(id, layout, after)
        report.changed.insert(id)
    }
}
