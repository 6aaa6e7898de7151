public import Replica
public import RoostModel
internal import Synchronization

/// The objects of a program: a store, its coordinator and its contexts, made by one line.
///
///     let container = try ObjectContainer(LibrarySchema.self, at: path)
///     let people = try container.viewContext.fetch(FetchRequest<Person>())
///
/// The file is opened, created where there is none, or migrated where it has an earlier version of the schema. A program keeps its
/// container for as long as it uses objects. A container may be used from any isolation.
public final class ObjectContainer: Sendable {
    /// The coordinator of the stores, for contexts and live results of your own.
    public let coordinator: StoreCoordinator
    /// The context that ``viewContext`` has made.
    @MainActor private var madeContext: ObjectContext?
    /// The task in which ``viewContext`` follows the writes of others.
    private let following = Mutex<Task<Void, Never>?>(nil)

    /// Opens a replica file, creates it where there is none, or migrates it where it has an earlier version of the schema.
    ///
    /// A file that belongs to a scope is opened like any other, for instance after `Replica.join`.
    ///
    /// - Parameters:
    ///   - source: The schema with its classes, as `roost generate swift` writes it.
    ///   - path: The location of the file. Its folder has to exist.
    ///   - plan: A migration plan with code, which ends with the version of `source`. Without one the migration follows from the
    ///     two schemas.
    ///   - subclasses: Classes that replace generated ones.
    ///   - identifiers: The form of the identifiers in a new file; an existing file keeps its own.
    ///   - durability: The durability of writes.
    /// - Throws: ``ReplicaError`` where the file cannot be opened, created or migrated. ``ObjectError`` with the code
    ///   `schemaMismatch` where it has another schema, or a later version of it without something that the classes have;
    ///   `invalidRequest` where `plan` ends with another version.
    public convenience init(
        _ source: any SchemaSource.Type, at path: String, migrating plan: MigrationPlan? = nil,
        subclasses: [ManagedObject.Type] = [], identifiers: IdentifierForm = .bytes, durability: Durability = .full
    ) throws {
        let plan = try plan ?? MigrationPlan(to: source.schema())
        guard plan.schema.version == source.version else {
            throw ObjectError(
                .invalidRequest,
                "Cannot open \"\(path)\": the migration plan ends with version \(plan.schema.version), and the classes are of version \(source.version). Let the plan end with the schema of the classes."
            )
        }
        let replica = try Self.replica(at: path, plan, identifiers, durability)
        try self.init(source, stores: [.replica(replica)], subclasses: subclasses)
    }

    /// Makes a container of records in memory, which end with it: for tests, previews and temporary data.
    ///
    /// - Parameters:
    ///   - source: The schema with its classes, as `roost generate swift` writes it.
    ///   - subclasses: Classes that replace generated ones.
    /// - Throws: ``ObjectError`` with the code `store` where the store cannot be made.
    public convenience init(inMemory source: any SchemaSource.Type, subclasses: [ManagedObject.Type] = []) throws {
        try self.init(source, stores: [.inMemory(try source.schema())], subclasses: subclasses)
    }

    /// Makes a container of stores of any kind: open replicas, such as one for each scope, documents, and records in memory.
    ///
    /// - Parameters:
    ///   - source: The schema with its classes, as `roost generate swift` writes it.
    ///   - stores: One or more stores, all of one schema and version.
    ///   - subclasses: Classes that replace generated ones.
    /// - Throws: As ``StoreCoordinator/init(_:classes:)-([StoreKind],_)``.
    public init(_ source: any SchemaSource.Type, stores: [StoreKind], subclasses: [ManagedObject.Type] = []) throws {
        coordinator = try StoreCoordinator(stores, classes: source.classes + subclasses, of: source)
    }

    deinit { following.withLock { $0?.cancel() } }

    /// The replica of the first store, for its synchronisation and journal; `nil` where that store is not a replica.
    public var replica: Replica? { coordinator.stores.first?.replica }

    /// The context of the user interface. It belongs to the main actor, and applies the writes of other contexts, programs and
    /// devices as they occur, as long as the container exists (``ObjectContext/followChanges(isolation:)``). Where it can no
    /// longer follow them, its next save throws the reason.
    @MainActor public var viewContext: ObjectContext {
        if let madeContext { return madeContext }
        let context = ObjectContext(coordinator)
        let task = Task {
            do {
                try await context.followChanges()
            } catch {
                context.fail(error, "Cannot follow the writes of others")
            }
        }
        madeContext = context
        following.withLock { $0 = task }
        return context
    }

    /// Makes a context for another isolation, such as an actor, which keeps it. Its saves reach ``viewContext``.
    public func newBackgroundContext() -> sending ObjectContext { ObjectContext(coordinator) }

    /// Runs a closure with a context of its own, outside the caller's actor: for imports and other long work. What the closure does
    /// not save is discarded.
    ///
    ///     let count = try await container.performBackgroundTask { context in
    ///         for name in names { try context.insert(Person.self).name = name }
    ///         return try context.save("import people").inserted.count
    ///     }
    ///
    /// - Parameter body: Uses the context. Objects do not leave it; return values, or an ``ObjectID``.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    public func performBackgroundTask<Result: Sendable>(
        _ body: @Sendable (ObjectContext) async throws -> Result
    ) async throws -> Result {
        try await body(ObjectContext(coordinator))
    }

    private static func replica(
        at path: String, _ plan: MigrationPlan, _ identifiers: IdentifierForm, _ durability: Durability
    ) throws -> Replica {
        func existing() throws -> Replica? {
            do {
                return try Replica(opening: path, migrating: plan, durability: durability)
            } catch let error as ReplicaError where error.code == .notFound {
                return nil
            }
        }
        if let replica = try existing() { return replica }
        do {
            return try Replica.create(
                at: path, schema: plan.schema, identifiers: identifiers, durability: durability)
        } catch let error as ReplicaError where error.code == .exists {
            // Another program has created the file in the meantime, or the error is about something else.
            guard let replica = try existing() else { throw error }
            return replica
        }
    }
}
