/// The objects at the other end of a relationship to several, as a context has them.
struct LoadedRelationship {
    /// In ascending order of identifiers: those made later come later.
    var objects: [ManagedObject]
    /// The context's ``ObjectContext/generation`` when it was read; another one reads it anew.
    let generation: Int

    /// Takes an object in at its place, if it is not there.
    mutating func insert(_ object: ManagedObject) {
        let place = place(of: object.objectID)
        guard place == objects.count || objects[place] !== object else { return }
        objects.insert(object, at: place)
    }

    mutating func remove(_ object: ManagedObject) {
        let place = place(of: object.objectID)
        guard place < objects.count, objects[place] === object else { return }
        objects.remove(at: place)
    }

    private func place(of id: ObjectID) -> Int {
        var low = 0
        var high = objects.count
        while low < high {
            let middle = (low + high) / 2
            if objects[middle].objectID < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
