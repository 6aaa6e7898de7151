internal import RoostModel

/// Changes that are undone together: the content of each object before and after them.
struct UndoGroup {
    /// The values of an object; `nil` where it does not exist.
    typealias Content = [Value]?

    struct Change {
        let id: ObjectID
        let before: Content
        var after: Content
    }

    var name: String
    /// The changes, in the order in which the objects were first changed.
    private(set) var changes: [Change] = []
    /// Objects that came back with a record that the group brought back. An undo of the group removes them too.
    var cameBack: Set<ObjectID> = []
    private var places: [ObjectID: Int] = [:]

    init(name: String) { self.name = name }

    /// Records the content of an object before its first change in the group.
    mutating func note(_ id: ObjectID, before: Content) {
        guard places[id] == nil else { return }
        places[id] = changes.count
        changes.append(Change(id: id, before: before, after: before))
    }

    /// Records the content of the objects at the end, and discards objects whose content is unchanged.
    mutating func close(_ content: (ObjectID) -> Content) {
        changes = changes.map { change in
            var change = change
            change.after = content(change.id)
            return change
        }.filter { $0.before != $0.after }
        places = [:]
    }

    /// The group with its changes in reverse order and direction.
    var reversed: UndoGroup {
        var group = UndoGroup(name: name)
        group.cameBack = cameBack
        group.changes = changes.reversed().map { Change(id: $0.id, before: $0.after, after: $0.before) }
        return group
    }
}
