internal import RoostModel

/// The objects at the other end of a relationship to several, as a context has them.
struct LoadedRelationship {
    /// The objects in ascending order of identifiers: objects made later come later. Where the relationship has positions, they
    /// order the objects first.
    private(set) var objects: [ManagedObject]
    /// The context's ``ObjectContext/generation`` when the relationship was read. In another generation it is read again.
    let generation: Int
    /// The index of the column that holds the objects' positions; `nil` without an order.
    let position: Int?

    /// Makes the loaded state of a relationship.
    ///
    /// - Parameter objects: The objects, in order.
    init(_ objects: [ManagedObject], of relationship: ManyRelationship, generation: Int) {
        self.objects = objects
        self.generation = generation
        position = relationship.position
    }

    /// Inserts an object at its index, unless it is present.
    mutating func insert(_ object: ManagedObject) {
        let place = place(of: object)
        guard place == objects.count || objects[place] !== object else { return }
        objects.insert(object, at: place)
    }

    mutating func remove(_ object: ManagedObject) {
        let place = place(of: object)
        guard place < objects.count, objects[place] === object else { return }
        objects.remove(at: place)
    }

    /// Moves an object whose position has changed to its new index, if it is present.
    mutating func replace(_ object: ManagedObject) {
        guard let place = objects.firstIndex(where: { $0 === object }) else { return }
        objects.remove(at: place)
        insert(object)
    }

    private func place(of object: ManagedObject) -> Int {
        var low = 0
        var high = objects.count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(objects[middle], object) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether an object comes before another, as in SQL: texts are compared by their bytes, and objects without a position come
    /// last.
    private func isBefore(_ left: ManagedObject, _ right: ManagedObject) -> Bool {
        guard let position else { return left.objectID < right.objectID }
        switch (left.values[position], right.values[position]) {
        case (.string(let first), .string(let second)) where !first.utf8.elementsEqual(second.utf8):
            return first.utf8.lexicographicallyPrecedes(second.utf8)
        case (.string, .null): return true
        case (.null, .string): return false
        default: return left.objectID < right.objectID
        }
    }
}
