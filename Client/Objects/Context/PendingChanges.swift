internal import RoostModel

/// The unsaved changes of a context and its ancestors to one store.
struct PendingChanges {
    /// The columns of new and edited objects that are visible.
    var rows: [EntityID: [RecordID: [Value]]] = [:]
    /// Records that are deleted, or hidden by a delete.
    var gone: [EntityID: Set<RecordID>] = [:]

    var isEmpty: Bool { rows.isEmpty && gone.isEmpty }
    /// The number of records.
    var count: Int { rows.values.reduce(0) { $0 + $1.count } + gone.values.reduce(0) { $0 + $1.count } }

    mutating func put(_ id: ObjectID, _ values: [Value]) {
        gone[id.entity]?.remove(id.record)
        rows[id.entity, default: [:]][id.record] = values
    }

    mutating func remove(_ id: ObjectID) {
        rows[id.entity]?[id.record] = nil
        gone[id.entity, default: []].insert(id.record)
    }
}
