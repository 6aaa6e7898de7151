/// The result of a fetch request, whose objects are read in batches as they are accessed. A long list costs its identifiers and
/// the objects on screen.
///
/// Two batches are cached, so that a list can be scrolled back and forth. The identifiers are those at the time of the fetch. An
/// object that is gone since then is returned as a deleted object without values. A store that cannot be read yields such objects
/// too, and its error becomes the context's ``ObjectContext/failure``.
public struct FetchedObjects<Object: ManagedObject>: RandomAccessCollection {
    /// The identifiers, in order.
    public let ids: [ObjectID]
    private let batches: Batches

    init(_ ids: [ObjectID], _ batchSize: Int, _ context: ObjectContext) {
        self.ids = ids
        batches = Batches(size: batchSize, context: context)
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { ids.count }

    public subscript(position: Int) -> Object { batches.object(at: position, of: ids) }

    /// The cache of the batches that were read last.
    private final class Batches {
        private let size: Int
        private let context: ObjectContext
        /// The cached batches, the most recently accessed one last.
        private var kept: [(number: Int, objects: [Object])] = []

        init(size: Int, context: ObjectContext) {
            self.size = size
            self.context = context
        }

        func object(at position: Int, of ids: [ObjectID]) -> Object {
            let number = position / size
            if kept.last?.number != number {
                let known = kept.firstIndex { $0.number == number }.map { kept.remove(at: $0) }
                kept.append(known ?? (number, read(ids[(number * size)..<Swift.min((number + 1) * size, ids.count)])))
                if kept.count > 2 { kept.removeFirst() }
            }
            return kept[kept.count - 1].objects[position - number * size]
        }

        private func read(_ ids: ArraySlice<ObjectID>) -> [Object] {
            var found: [ObjectID: Object] = [:]
            do {
                for case let object as Object in try context.objects(with: Array(ids)) {
                    found[object.objectID] = object
                }
            } catch {
                context.fail(error, "Cannot read a list")
            }
            return ids.map { id in found[id] ?? context.goneObject(id) }
        }
    }
}

extension ObjectContext {
    /// Fetches identifiers at once, and objects as they are accessed, ``FetchRequest/batchSize`` at a time.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func fetchInBatches<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> FetchedObjects<Object>
    {
        let entity = try model.entity(named: request.entity)
        guard model.type(of: entity.id) is Object.Type else { throw wrongClass(Object.self, entity) }
        return FetchedObjects(try fetchIDs(request), max(1, request.batchSize), self)
    }

    /// Returns a deleted object without values, for a record that no longer exists.
    func goneObject<Object: ManagedObject>(_ id: ObjectID) -> Object {
        if let known = registeredObject(id) as? Object { return known }
        guard let layout = model[id.entity], let object = register(id, layout, layout.defaults, .gone) as? Object else {
            preconditionFailure("The class was looked at when the list was fetched.")
        }
        return object
    }
}
