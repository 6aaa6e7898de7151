/// What a context can undo and redo.
///
/// Changes belong to the group that is open when they are made: one that ``ObjectContext/group(_:_:)`` opens, or one of its own that
/// ends with the next save, and has its label. Groups outlive saves, and what others save meanwhile: see
/// ``ObjectContext/undo()``.
public struct UndoHistory {
    /// How many groups are kept, the newest; all of them where it is `nil`.
    public let limit: Int?
    private var undone: [UndoGroup] = []
    private var done: [UndoGroup] = []
    private var open: UndoGroup?
    private var depth = 0
    /// Both lists as they were at the last save.
    private var saved: (done: [UndoGroup], undone: [UndoGroup]) = ([], [])
    /// Whether changes are those of an undo or redo.
    private(set) var isAtWork = false

    /// Makes an empty history, for ``ObjectContext/undoHistory``.
    ///
    /// - Parameter limit: How many groups are kept, 1 or more; `nil` for all.
    public init(limit: Int? = nil) { self.limit = limit.map { max($0, 1) } }

    /// The names of what can be undone, the next one last. What is not in a group yet is not among them.
    public var undoNames: [String] { done.map(\.name) }
    /// The names of what can be redone, the next one last.
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

    /// Ends a group that nobody has opened; one that somebody has opened goes on.
    mutating func closeImplicit(named name: String?, _ content: (ObjectID) -> UndoGroup.Content) {
        if depth == 0 { close(named: name, content) }
    }

    /// Notes that all is saved: a rollback comes back to here.
    mutating func noteSave() { saved = (done, undone) }

    /// Is as it was at the last save: everything since was rolled back.
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

    /// Takes the newest group to be undone; ``finish(undoing:)`` comes after it.
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
