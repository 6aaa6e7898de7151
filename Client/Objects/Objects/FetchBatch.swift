/// Objects that were read together: when a relationship of one is asked for, it is read for those after it too, so that a list
/// costs a few queries and not one for each row.
final class FetchBatch {
    /// For how many objects a relationship is read at once.
    static let size = 500

    private let ids: [ObjectID]
    /// What was read for several of them at once; nobody else may hold it yet.
    private(set) var kept: Set<ManagedObject> = []

    init(_ ids: [ObjectID]) { self.ids = ids }

    /// Lets objects know their places; they are those that the batch was made of.
    func join(_ objects: [ManagedObject]) {
        for (place, object) in objects.enumerated() {
            object.companions = self
            object.place = place
        }
    }

    /// The object at a place, and those that are looked at next.
    func neighbours(at place: Int) -> ArraySlice<ObjectID> { ids[place..<min(place + Self.size, ids.count)] }

    /// Keeps objects alive as long as those that they were read for.
    func keep(_ objects: some Sequence<ManagedObject>) { kept.formUnion(objects) }
}
