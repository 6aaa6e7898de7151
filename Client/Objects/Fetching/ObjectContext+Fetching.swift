internal import GRDB
internal import Replica
public import RoostModel

extension ObjectContext {
    /// Returns the objects that a request asks for, as this context sees them: with its unsaved changes. A record that already
    /// has an object in the context is returned as that object. Its values are updated from the store unless it has unsaved
    /// edits.
    ///
    /// - Throws: ``FetchPredicateError`` for a predicate or path that does not fit the schema; ``ObjectError`` with the code
    ///   `unknown` for an entity, store or class that does not exist, `store` where the store could not be read.
    public func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
        let compiler = try FetchCompiler(request, model)
        let count = Int32(compiler.entity.columns.count)
        let objects = try rows(request, compiler, objectColumns(compiler.entity, compiler.alias), keysAt: count + 1) {
            query, store in
            object(query, 0, compiler.entity, store)
        }
        batchAnew(objects)
        let typed = try objects.map { object in
            guard let typed = object as? Object else { throw wrongClass(Object.self, compiler.entity) }
            return typed
        }
        try prefetch(request.prefetchedRelationships, objects)
        return typed
    }

    /// Returns the identifiers of the objects that a request asks for, without making objects.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func fetchIDs<Object>(_ request: FetchRequest<Object>) throws -> [ObjectID] {
        let compiler = try FetchCompiler(request, model)
        return try rows(request, compiler, compiler.identifier, keysAt: 1) { query, store in
            query.id(0).map { ObjectID(record: $0, entity: compiler.entity.id, store: store) }
        }
    }

    /// Returns the number of objects that a request asks for, its limit and offset included.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func count<Object>(_ request: FetchRequest<Object>) throws -> Int {
        let compiler = try FetchCompiler(request, model)
        var count = 0
        for store in try stores(of: request) {
            count += try read(store, "count \(compiler.entity.name)") { database in
                try Int(database.query(compiler.select("count(*)")).first { $0.integer(0) } ?? 0)
            }
        }
        let rest = max(0, count - max(0, request.offset))
        return request.limit.map { min(rest, max(0, $0)) } ?? rest
    }

    /// Returns some properties of the objects that a request asks for, in its order, without making objects.
    ///
    /// - Parameters:
    ///   - paths: Properties, or paths through to-one relationships; `id` is the identifier.
    ///   - isDistinct: Whether equal rows are combined. The rows are then in the order of their values instead of the request's.
    /// - Throws: As ``fetch(_:)``.
    public func fetchValues<Object>(
        _ request: FetchRequest<Object>, _ paths: [String], isDistinct: Bool = false
    ) throws -> [[Value]] {
        var compiler = try FetchCompiler(request, model)
        let columns = try paths.map { try compiler.expression($0) }
        func values(_ query: Query) -> [Value] {
            columns.enumerated().map { query.value(Int32($0), as: $1.kind) }
        }
        let list = columns.map(\.sql).joined(separator: ", ")
        guard isDistinct else {
            let count = Int32(columns.count)
            return try rows(request, compiler, "\(list), \(compiler.identifier)", keysAt: count + 1) { query, _ in
                values(query)
            }
        }
        return try DistinctValues(compiler, columns).fetch(request, in: self)
    }

    // MARK: Rows

    /// Reads rows of all stores in one order.
    ///
    /// - Parameters:
    ///   - columns: SQL of the columns that `read` reads, without the sort keys.
    ///   - keysAt: The index of the first sort key.
    func rows<Object, Content>(
        _ request: FetchRequest<Object>, _ compiler: FetchCompiler, _ columns: String, keysAt: Int32,
        _ read: (Query, StoreID) throws -> Content?
    ) throws -> [Content] {
        let stores = try stores(of: request)
        let window = FetchWindow(request)
        if stores.count == 1 {
            let sql = compiler.select(columns, order: compiler.totalOrder, tail: window.sql)
            return try self.read(stores[0], "fetch \(compiler.entity.name)") { database in
                try database.query(sql).all { try read($0, stores[0]) }.compactMap { $0 }
            }
        }
        let keyed = ([columns] + compiler.keys.map(\.sql) + [compiler.identifier]).joined(separator: ", ")
        let sql = compiler.select(keyed, order: compiler.totalOrder, tail: window.sqlOfEach)
        var rows: [FetchedRow<Content>] = []
        for store in stores {
            try self.read(store, "fetch \(compiler.entity.name)") { database in
                let query = try database.query(sql)
                while try query.step() {
                    let keys = compiler.keys.enumerated().map { query.value(keysAt + Int32($0), as: $1.kind) }
                    guard let record = query.id(keysAt + Int32(keys.count)), let content = try read(query, store) else {
                        continue
                    }
                    let id = ObjectID(record: record, entity: compiler.entity.id, store: store)
                    rows.append(FetchedRow(content: content, keys: keys, id: id))
                }
            }
        }
        return window.cut(FetchedRow.merged(rows, by: compiler.keys).map(\.content))
    }

    /// Reads the data of live results for each row, in order: the columns with masked references as nil, and the sort keys.
    func resultRows<Object>(
        _ request: FetchRequest<Object>
    ) throws -> [(id: ObjectID, values: [Value], keys: [Value])] {
        let compiler = try FetchCompiler(request, model)
        let kinds = compiler.entity.kinds
        let keysAt = Int32(kinds.count + 1)
        let list = ([compiler.entity.columnList(compiler.alias)] + compiler.keys.map(\.sql)).joined(separator: ", ")
        return try rows(request, compiler, list, keysAt: keysAt + Int32(compiler.keys.count)) { query, store in
            guard let record = query.id(0) else { return nil }
            return (
                ObjectID(record: record, entity: compiler.entity.id, store: store),
                query.values(from: 1, as: kinds),
                compiler.keys.enumerated().map { query.value(keysAt + Int32($0), as: $1.kind) }
            )
        }
    }

    /// Returns the stores of a request, each once.
    func stores<Object>(of request: FetchRequest<Object>) throws -> [StoreID] {
        guard let wanted = request.stores else { return coordinator.stores.map(\.id) }
        var seen: Set<StoreID> = []
        return try wanted.filter { seen.insert($0).inserted }.map { try coordinator.store($0).id }
    }

    func prefetch(_ paths: [String], _ objects: [ManagedObject]) throws {
        for path in paths {
            var reached = objects
            for name in path.parts(at: ".", keepsEmpty: true) {
                reached = try prefetch(name, of: reached)
            }
        }
    }

    /// Reads a relationship of objects.
    ///
    /// - Returns: The objects at the other end, each once.
    private func prefetch(_ name: String, of objects: [ManagedObject]) throws -> [ManagedObject] {
        var seen: Set<ManagedObject> = []
        // The read for one object covers the objects after it, so most objects have the relationship already.
        return try objects.flatMap { object in
            object.layout.many(named: name) != nil
                ? try object.objects(name) : try object.object(name).map { [$0] } ?? []
        }.filter { seen.insert($0).inserted }
    }

    func wrongClass(_ type: ManagedObject.Type, _ entity: EntityDescription) -> ObjectError {
        ObjectError(
            .unknown,
            "Cannot fetch \(entity.name) as \(type): its objects have another class. Give the coordinator that class, or ask for \(model.type(of: entity.id))."
        )
    }
}
