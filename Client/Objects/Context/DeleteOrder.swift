extension Array where Element == ManagedObject {
    /// Those that are deleted, in the order in which they are written.
    ///
    /// What names another deleted object goes before that: it would be hidden with it, or hold it back.
    var deletesInOrder: [ManagedObject] {
        let deleted = filter { $0.state == .deleted }
        let known = Dictionary(uniqueKeysWithValues: deleted.map { ($0.objectID, $0) })
        func targets(_ object: ManagedObject) -> [ManagedObject] {
            object.layout.columns.compactMap { object.targetID(of: $0).flatMap { known[$0] } }
        }
        var seen: Set<ObjectID> = []
        var order: [ManagedObject] = []
        for object in deleted where seen.insert(object.objectID).inserted {
            // Depth first, without recursion: a hierarchy may be deep.
            var path = [(object: object, targets: targets(object))]
            while var step = path.popLast() {
                guard let next = step.targets.popLast() else {
                    order.append(step.object)
                    continue
                }
                path.append(step)
                if seen.insert(next.objectID).inserted { path.append((next, targets(next))) }
            }
        }
        return order.reversed()
    }
}
