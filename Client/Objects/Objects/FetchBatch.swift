/// Objects that were read together. A relationship of one object is read for the objects after it as well, so that a list costs a
/// few queries instead of one for each row.
final class FetchBatch {
    /// Maximum number of objects for which a relationship is read at once.
    static let size = 500

    private let ids: [ObjectID]
    /// Objects that were read for several objects of the batch at once, and may have no other owner yet.
    private(set) var kept: Set<ManagedObject> = []

    init(_ ids: [ObjectID]) { self.ids = ids }

    /// Assigns the batch, and their indices in it, to the objects of which the batch was made.
    func join(_ objects: [ManagedObject]) {
        for (place, object) in objects.enumerated() {
            object.companions = self
            object.place = place
        }
    }

    /// Returns the identifiers from an index on: the object itself, and the objects that are likely to be accessed next.
    func neighbours(at place: Int) -> ArraySlice<ObjectID> { ids[place..<min(place + Self.size, ids.count)] }

    /// Keeps objects alive as long as the objects of the batch, for which they were read.
    func keep(_ objects: some Sequence<ManagedObject>) { kept.formUnion(objects) }

    func release() {
        if !kept.isEmpty { kept = [] }
    }
}
