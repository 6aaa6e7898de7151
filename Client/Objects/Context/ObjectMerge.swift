internal import RoostModel

/// The merge of unsaved edits with a change of the record elsewhere. Pure.
struct ObjectMerge {
    let policy: MergePolicy

    struct Result {
        /// The object's values after the merge.
        let values: [Value]
        /// The indices of the columns to write, ascending.
        let written: [Int]
        let conflict: SaveReport.Conflict.Outcome?
    }

    /// Merges three versions: the values from which the object was edited (none for a new object), its values, and the current
    /// values in the store.
    ///
    /// - Throws: ``ObjectError`` with the code `conflict` where both sides changed a property and the policy is
    ///   ``MergePolicy/ask``.
    func merge(_ object: ManagedObject, theirs: [Value]) throws -> Result {
        let mine = object.values
        let base = object.committed
        let edited = mine.indices.filter { base == nil || base?[$0] != mine[$0] }.filter { mine[$0] != theirs[$0] }
        let contested = edited.filter { base == nil || base?[$0] != theirs[$0] }
        let names = contested.map { object.layout.columns[$0].name }
        switch policy {
        case .ask:
            guard names.isEmpty else { throw conflict(object, "changed \(list(names)) too") }
            return result(mine: edited, of: mine, theirs, nil)
        case .keepMine: return result(mine: edited, of: mine, theirs, names.isEmpty ? nil : .keptMine(names))
        case .takeTheirs:
            let kept = edited.filter { !contested.contains($0) }
            return result(mine: kept, of: mine, theirs, names.isEmpty ? nil : .tookTheirs(names))
        }
    }

    /// Returns whether to write edits of a record that is deleted or hidden elsewhere.
    func keepsEdits(of object: ManagedObject) throws -> Bool {
        switch policy {
        case .keepMine: true
        case .takeTheirs: false
        case .ask: throw conflict(object, "deleted it")
        }
    }

    /// Returns whether to write a delete of a record that was edited elsewhere.
    func keepsDelete(of object: ManagedObject) throws -> Bool {
        switch policy {
        case .keepMine: true
        case .takeTheirs: false
        case .ask: throw conflict(object, "edited what is to be deleted")
        }
    }

    private func result(
        mine: [Int], of values: [Value], _ theirs: [Value], _ outcome: SaveReport.Conflict.Outcome?
    ) -> Result {
        var merged = theirs
        for index in mine { merged[index] = values[index] }
        return Result(values: merged, written: mine, conflict: outcome)
    }

    private func conflict(_ object: ManagedObject, _ what: String) -> ObjectError {
        ObjectError(.conflict, "\(object): somebody else \(what).")
    }

    private func list(_ names: [String]) -> String { names.map { "\"\($0)\"" }.joined(separator: ", ") }
}
