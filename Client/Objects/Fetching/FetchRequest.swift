public import Predicates

/// Which objects are wanted, and in which order.
///
///     let request = FetchRequest<Spending>(
///         where: try FetchPredicate(format: "person.name == %@ AND amount < %@", "Jean-Pierre", 100_00),
///         sortedBy: [.ascending("person.name", .localized), .ascending("amount")])
///     let spendings = try context.fetch(request)
///
/// Of generated classes it is written with their fields too, see ``TypedObject``. Unsaved changes of the context count as if they were saved. Without sort descriptors, and where all of them are equal, the
/// order is that of identifiers: objects made later come later.
public struct FetchRequest<Object: ManagedObject> {
    /// The name of the entity.
    public var entity: String
    /// `nil` for all objects.
    public var predicate: FetchPredicate?
    /// The first one counts most.
    public var sortDescriptors: [FetchSortDescriptor]
    /// How many objects at most, after ``offset``; `nil` for all.
    public var limit: Int?
    /// How many of the first ones are left out; 0 unless set.
    public var offset = 0
    /// How many objects ``ObjectContext/fetchInBatches(_:)`` and ``FetchedResultsController/object(at:)`` read at once, 1 or more; 100
    /// unless set.
    public var batchSize = 100
    /// The stores that are looked at; `nil` for all of the coordinator.
    public var stores: [StoreID]?
    /// To-one relationships and relationships to several that are read with the objects, and not when they are first asked for. A path
    /// such as `author.country` reads each of its relationships.
    public var prefetchedRelationships: [String] = []

    /// Asks for objects of a class.
    public init(
        where predicate: FetchPredicate? = nil, sortedBy sortDescriptors: [FetchSortDescriptor] = [], limit: Int? = nil
    ) {
        self.init(Object.entityName, where: predicate, sortedBy: sortDescriptors, limit: limit)
    }

    /// Asks for objects of an entity by its name.
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
