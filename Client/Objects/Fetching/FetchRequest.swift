public import Predicates

/// A request for objects of an entity, by a predicate and in an order.
///
///     let request = FetchRequest<Spending>(
///         where: try FetchPredicate(format: "person.name == %@ AND amount < %@", "Jean-Pierre", 100_00),
///         sortedBy: [.ascending("person.name", .localized), .ascending("amount")])
///     let spendings = try context.fetch(request)
///
/// For generated classes a request may also use their fields, see ``TypedObject``. Unsaved changes of the context count as if
/// they were saved. Objects that are equal in all sort descriptors are in the order of their identifiers, as are all objects
/// without sort descriptors: objects made later come later.
public struct FetchRequest<Object: ManagedObject> {
    /// The name of the entity.
    public var entity: String
    /// The condition of the objects; `nil` for all objects. A request for a generated class also has it as a
    /// ``TypedPredicate``.
    @_disfavoredOverload
    public var predicate: FetchPredicate?
    /// The order of the objects; the first descriptor takes precedence. A request for a generated class also has it as
    /// ``TypedSortDescriptor``.
    @_disfavoredOverload
    public var sortDescriptors: [FetchSortDescriptor]
    /// Maximum number of objects, after ``offset``; `nil` for all.
    public var limit: Int?
    /// The number of objects that are skipped first; 0 unless set.
    public var offset = 0
    /// The number of objects that ``ObjectContext/fetchInBatches(_:)`` and ``FetchedResultsController/object(at:)`` read at once,
    /// 1 or more; 100 unless set.
    public var batchSize = 100
    /// The stores to fetch from; `nil` for all stores of the coordinator.
    public var stores: [StoreID]?
    /// Relationships that are read with the objects, and not at their first access: to-one relationships and relationships to
    /// several. A path such as `author.country` reads each of its relationships.
    public var prefetchedRelationships: [String] = []

    /// Makes a request for objects of a class.
    @_disfavoredOverload
    public init(
        where predicate: FetchPredicate? = nil, sortedBy sortDescriptors: [FetchSortDescriptor] = [], limit: Int? = nil
    ) {
        self.init(Object.entityName, where: predicate, sortedBy: sortDescriptors, limit: limit)
    }

    /// Makes a request for objects of an entity by its name.
    @_disfavoredOverload
    public init(
        _ entity: String, where predicate: FetchPredicate? = nil, sortedBy sortDescriptors: [FetchSortDescriptor] = [],
        limit: Int? = nil
    ) {
        self.entity = entity
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
        self.limit = limit
    }
}

extension FetchRequest: Hashable, Sendable {}
