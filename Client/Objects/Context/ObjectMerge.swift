internal import RoostModel

/// What becomes of unsaved edits that meet somebody else's change of the same record. Pure.
struct ObjectMerge {
    let policy: MergePolicy

    struct Result {
        /// What the object holds afterwards.
        let values: [Value]
        /// The columns that are to be written, ascending.
        let written: [Int]
        let conflict: SaveReport.Conflict.Outcome?
    }

    /// Three ways: what the object was edited from (nothing, for a new one), what it holds, and what is there now.
    ///
    /// - Throws: ``ObjectError`` with the code `conflict` where a property was changed on both sides and the policy asks.
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

    /// Whether edits of a record that is deleted or hidden elsewhere are written all the same.
    func keepsEdits(of object: ManagedObject) throws -> Bool {
        switch policy {
        case .keepMine: true
        case .takeTheirs: false
        case .ask: throw conflict(object, "deleted it")
        }
    }

    /// Whether a delete of a record that was edited elsewhere is written all the same.
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
