/// The changes that a context can undo and redo.
///
/// A change belongs to the group that is open when it is made. Either ``ObjectContext/group(_:_:)`` opens a group, or the change
/// opens an implicit one, which ends with the next save and takes its label. Groups survive saves, and changes that others save
/// in the meantime: see ``ObjectContext/undo()``.
public struct UndoHistory {
    /// Maximum number of groups that are kept, the newest ones; `nil` for all.
    public let limit: Int?
    private var undone: [UndoGroup] = []
    private var done: [UndoGroup] = []
    private var open: UndoGroup?
    private var depth = 0
    /// The groups that were done and undone at the last save.
    private var saved: (done: [UndoGroup], undone: [UndoGroup]) = ([], [])
    /// Whether an undo or redo is making the current changes.
    private(set) var isAtWork = false

    /// Makes an empty history, for ``ObjectContext/undoHistory``.
    ///
    /// - Parameter limit: Maximum number of groups that are kept, 1 or more; `nil` for all.
    public init(limit: Int? = nil) { self.limit = limit.map { max($0, 1) } }

    /// The names of the groups that can be undone, the next one last. An open group is not among them.
    public var undoNames: [String] { done.map(\.name) }
    /// The names of the groups that can be redone, the next one last.
    public var redoNames: [String] { undone.map(\.name) }

    // MARK: For the context

    mutating func note(_ id: ObjectID, before: UndoGroup.Content) {
        guard !isAtWork else { return }
        if open == nil { open = UndoGroup(name: "") }
        open?.note(id, before: before)
    }

    mutating func note(cameBack ids: Set<ObjectID>) {
        guard !isAtWork else { return }
        open?.cameBack.formUnion(ids)
    }

    mutating func begin(_ name: String, _ content: (ObjectID) -> UndoGroup.Content) {
        if depth == 0 {
            close(named: nil, content)
            open = UndoGroup(name: name)
        }
        depth += 1
    }

    mutating func end(_ content: (ObjectID) -> UndoGroup.Content) {
        depth -= 1
        if depth == 0 { close(named: nil, content) }
    }

    /// Ends an implicit group. A group that a caller has opened stays open.
    mutating func closeImplicit(named name: String?, _ content: (ObjectID) -> UndoGroup.Content) {
        if depth == 0 { close(named: name, content) }
    }

    /// Records a save, to which a rollback returns.
    mutating func recordSave() { saved = (done, undone) }

    /// Returns to the state at the last save, after all later changes were rolled back.
    mutating func goBackToSave() {
        open = open.map { UndoGroup(name: $0.name) }
        (done, undone) = saved
    }

    private mutating func close(named name: String?, _ content: (ObjectID) -> UndoGroup.Content) {
        guard var group = open else { return }
        open = nil
        group.close(content)
        guard !group.changes.isEmpty else { return }
        if let name, group.name.isEmpty { group.name = name }
        done.append(group)
        undone = []
        if let limit, done.count > limit { done.removeFirst(done.count - limit) }
    }

    /// The group that ``takeUndo()`` takes.
    var nextUndo: UndoGroup? { done.last }
    /// The group that ``takeRedo()`` takes.
    var nextRedo: UndoGroup? { undone.last }

    /// Removes the newest group in order to undo it; ``finish(undoing:)`` follows.
    mutating func takeUndo() -> UndoGroup? {
        guard let group = done.popLast() else { return nil }
        isAtWork = true
        return group
    }

    mutating func takeRedo() -> UndoGroup? {
        guard let group = undone.popLast() else { return nil }
        isAtWork = true
        return group
    }

    mutating func finish(undoing group: UndoGroup) {
        isAtWork = false
        undone.append(group)
    }

    mutating func finish(redoing group: UndoGroup) {
        isAtWork = false
        done.append(group)
    }
}
