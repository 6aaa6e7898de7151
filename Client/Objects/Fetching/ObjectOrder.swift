internal import Predicates
internal import RoostModel

/// An order of objects in memory, equal to the order of a fetch.
struct ObjectOrder {
    private let keys: [FetchCompiler.SortKey]
    /// The path of each sort key, which is followed from an object.
    private let paths: [PredicatePath]

    /// Makes an order of an entity's objects.
    ///
    /// - Throws: As a fetch of objects of the entity in that order.
    init(_ descriptors: [FetchSortDescriptor], of entity: EntityDescription, _ model: ObjectModel) throws {
        let request = FetchRequest<ManagedObject>(entity.name, sortedBy: descriptors)
        keys = try FetchCompiler(request, model).keys
        paths = try descriptors.map { descriptor in
            try PredicatePath(format: descriptor.path) ?? PredicatePath([])
        }
    }

    func sorted<Object: ManagedObject>(_ objects: [Object]) throws -> [Object] {
        let rows = try objects.map { object in
            FetchedRow(content: object, keys: try paths.map { try value($0, of: object) }, id: object.objectID)
        }
        return FetchedRow.merged(rows, by: keys).map(\.content)
    }

    private func value(_ path: PredicatePath, from index: Int = 0, of object: ManagedObject?) throws -> Value {
        guard let object else { return .null }
        let name = index < path.names.count ? path.names[index] : nil
        if let name, let many = object.layout.many(named: name) {
            let target =
                switch path.elements[index] {
                case .first: try object.objects(of: many).first
                case .last: try object.objects(of: many).last
                case nil: try object.shown(of: many)
                }
            return try value(path, from: index + 1, of: target)
        }
        // The end of a path, or `id`, is the object itself.
        guard let name, let column = object.layout.column(named: name) else {
            return .data(object.objectID.record.bytes)
        }
        guard column.reference != nil else { return object.values[column.index] }
        return try value(path, from: index + 1, of: object.target(of: column))
    }
}

extension Sequence where Element: ManagedObject {
    /// Returns the objects in an order, as a fetch would: texts in dictionary order where a descriptor asks for it, nil first,
    /// and equal objects in the order in which they were made. Unsaved changes count.
    ///
    /// - Throws: ``FetchPredicateError`` for a path that does not fit the schema; ``ObjectError`` with the code `invalidRequest`
    ///   for objects of several entities, `store` where an object on a path could not be read.
    public func sorted(by descriptors: [FetchSortDescriptor]) throws -> [Element] {
        let objects = Array(self)
        guard let first = objects.first else { return [] }
        guard let context = first.context else { throw first.contextHasEnded }
        if let other = objects.first(where: { $0.objectID.entity != first.objectID.entity }) {
            throw ObjectError(
                .invalidRequest,
                "Cannot sort objects: some are \(first.layout.name), others \(other.layout.name). Sort those of each entity by themselves."
            )
        }
        return try ObjectOrder(descriptors, of: first.layout, context.model).sorted(objects)
    }
}

extension Sequence where Element: TypedObject {
    /// Returns the objects in an order made of their fields: `author.books.sorted(by: [.ascending(\.title, .localized)])`.
    ///
    /// - Throws: As ``sorted(by:)-([FetchSortDescriptor])``.
    public func sorted(by descriptors: [TypedSortDescriptor<Element.Fields>]) throws -> [Element] {
        try sorted(by: descriptors.map(\.descriptor))
    }
}
