public import Replica
internal import RoostModel

/// A group of one or several stores that contexts use as one. Every object is in one of them.
///
///     let coordinator = try StoreCoordinator(replica, classes: classes)
///     let context = ObjectContext(coordinator)
///
/// It is safe to use from any isolation; contexts of several isolations share one coordinator.
public final class StoreCoordinator: Sendable {
    /// The schema with the classes of its objects.
    public let model: ObjectModel
    /// The stores, in the order in which they were given. New objects go into the first one by default.
    public let stores: [ObjectStore]
    let hub = ChangeHub()

    /// Makes a coordinator of replicas, such as one for each scope.
    ///
    /// - Parameters:
    ///   - replicas: One or more replicas, all of one schema and version.
    ///   - classes: Classes of objects, as `roost generate swift` lists them.
    /// - Throws: ``ObjectError`` with the code `invalidRequest` where there is no replica, their schemas differ, or two have the
    ///   same file; `schemaMismatch` where a replica has an earlier version of the schema than the classes, or a later one that
    ///   lacks something of theirs; `unknown` where the schema has no entity for a class.
    public convenience init(_ replicas: Replica..., classes: [ManagedObject.Type] = []) throws {
        try self.init(replicas.map { .replica($0) }, classes: classes)
    }

    /// Makes a coordinator of stores of any kind: replicas, records in memory, documents.
    ///
    /// - Parameters:
    ///   - stores: One or more stores of any kind, all of one schema and version.
    ///   - classes: Classes of objects, as `roost generate swift` lists them.
    /// - Throws: As ``init(_:classes:)-(Replica...,_)``, and `store` where a store could not be made.
    public convenience init(_ stores: [StoreKind], classes: [ManagedObject.Type] = []) throws {
        try self.init(stores, classes: classes, of: nil)
    }

    /// - Parameter source: The schema of the classes that do not name theirs.
    convenience init(
        _ stores: [StoreKind], classes: [ManagedObject.Type], of source: (any SchemaSource.Type)?
    ) throws {
        let backends = try stores.map { kind -> any StoreBackend in
            switch kind {
            case .replica(let replica): ReplicaBackend(replica)
            case .inMemory(let schema): try MemoryBackend(schema)
            case .document(let path, let plan, let format): try DocumentBackend(plan, at: path, format)
            }
        }
        try self.init(backends: backends, classes: classes, of: source)
    }

    init(
        backends: [any StoreBackend], classes: [ManagedObject.Type], of source: (any SchemaSource.Type)? = nil
    ) throws {
        guard let schema = backends.first?.schema else {
            throw ObjectError(.invalidRequest, "Cannot make a coordinator of no stores. Give it at least one.")
        }
        for other in backends.map(\.schema) where (other.name, other.version) != (schema.name, schema.version) {
            throw ObjectError(
                .invalidRequest,
                "Cannot make one coordinator of stores with the schemas \"\(schema.name)\", version \(schema.version), and \"\(other.name)\", version \(other.version). Upgrade the older store, or give each schema a coordinator."
            )
        }
        try Self.refuseFilesGivenTwice(backends)
        for backend in backends {
            try SchemaAgreement(stored: backend.schema, store: backend.name).check(classes, source)
        }
        model = try ObjectModel(schema, classes: classes)
        stores = backends.enumerated().map { ObjectStore(StoreID(number: UInt32($0)), $1) }
    }

    /// Refuses two stores with one file, under whichever names: each of their records would be two objects.
    private static func refuseFilesGivenTwice(_ backends: [any StoreBackend]) throws {
        var files: Set<StoreFile> = []
        for file in backends.compactMap(\.file) where !files.insert(StoreFile(file)).inserted {
            throw ObjectError(
                .invalidRequest,
                "Cannot make a coordinator of two stores with the file \"\(file)\": each record would be two objects. Give the store once."
            )
        }
    }

    /// Returns a stream of all writes to the stores from now on, by contexts, other programs and synchronisation, until the
    /// listening task ends.
    ///
    /// - Throws: ``ObjectError`` with the code `store` where a store cannot be read.
    public func changes() throws -> AsyncStream<StoreChange> { try hub.listen(to: stores) }

    /// The time for which pulled pages wait for the pages that follow, to form one change with them; one second unless set.
    package var pagesWait: Duration {
        get { hub.pagesWait }
        set { hub.pagesWait = newValue }
    }

    /// Whether pulled pages wait for the pages that follow.
    package var isWaitingForPages: Bool { hub.isWaitingForPages }

    func store(_ id: StoreID) throws -> ObjectStore {
        guard id.number < UInt32(stores.count) else {
            throw ObjectError(.unknown, "There is no \(id) in this coordinator. It has \(stores.count).")
        }
        return stores[Int(id.number)]
    }
}
