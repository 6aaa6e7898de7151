internal import RoostModel

/// Changes that are undone together: what each object held before and after them.
struct UndoGroup {
    /// What an object holds; `nil` where it does not exist.
    typealias Content = [Value]?

    struct Change {
        let id: ObjectID
        let before: Content
        var after: Content
    }

    var name: String
    /// In the order in which the objects were first changed.
    private(set) var changes: [Change] = []
    /// What came back with a record that was brought back: taking that back takes it too.
    var cameBack: Set<ObjectID> = []
    private var places: [ObjectID: Int] = [:]

    init(name: String) { self.name = name }

    /// Notes what an object holds before its first change in the group.
    mutating func note(_ id: ObjectID, before: Content) {
        guard places[id] == nil else { return }
        places[id] = changes.count
        changes.append(Change(id: id, before: before, after: before))
    }

    /// Notes what the objects hold at the end, and forgets those that hold what they held.
    mutating func close(_ content: (ObjectID) -> Content) {
        changes = changes.map { change in
            var change = change
            change.after = content(change.id)
            return change
        }.filter { $0.before != $0.after }
        places = [:]
    }

    /// The same the other way round.
    var reversed: UndoGroup {
        var group = UndoGroup(name: name)
        group.cameBack = cameBack
        group.changes = changes.reversed().map { Change(id: $0.id, before: $0.after, after: $0.before) }
        return group
    }
}
