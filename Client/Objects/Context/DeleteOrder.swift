extension Array where Element == ManagedObject {
    /// The deleted objects, in the order in which their deletes are written.
    ///
    /// An object that names another deleted object comes before it. Otherwise the other delete would hide it, or it would deny
    /// the other delete.
    var deletesInOrder: [ManagedObject] {
        let deleted = filter { $0.state == .deleted }
        let known = Dictionary(uniqueKeysWithValues: deleted.map { ($0.objectID, $0) })
        func targets(_ object: ManagedObject) -> [ManagedObject] {
            object.layout.columns.compactMap { object.targetID(of: $0).flatMap { known[$0] } }
        }
        var seen: Set<ObjectID> = []
        var order: [ManagedObject] = []
        for object in deleted where seen.insert(object.objectID).inserted {
            // The search is depth first without recursion, because a hierarchy may be deep.
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
