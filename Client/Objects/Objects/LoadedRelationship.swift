internal import RoostModel

/// The objects at the other end of a relationship to several, as a context has them.
struct LoadedRelationship {
    /// In ascending order of identifiers: those made later come later. Where they have positions, in the order of those first.
    private(set) var objects: [ManagedObject]
    /// The context's ``ObjectContext/generation`` when it was read; another one reads it anew.
    let generation: Int
    /// The column of their positions.
    let position: Int?

    /// - Parameter objects: In their order.
    init(_ objects: [ManagedObject], of relationship: ManyRelationship, generation: Int) {
        self.objects = objects
        self.generation = generation
        position = relationship.position
    }

    /// Takes an object in at its place, if it is not there.
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

    /// Puts an object whose position has changed at its new place, if it is there.
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

    /// As SQL has it: texts by their bytes.
    private func isBefore(_ left: ManagedObject, _ right: ManagedObject) -> Bool {
        guard let position else { return left.objectID < right.objectID }
        switch (left.values[position], right.values[position]) {
        case (.text(let first), .text(let second)) where !first.utf8.elementsEqual(second.utf8):
            return first.utf8.lexicographicallyPrecedes(second.utf8)
        case (.text, .null): return true
        case (.null, .text): return false
        default: return left.objectID < right.objectID
        }
    }
}
