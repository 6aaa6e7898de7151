public import Predicates

// Requests made of the fields of a generated class.

extension FetchRequest where Object: TypedObject {
    /// Makes a request for objects of a class by a typed predicate, in a typed order.
    public init(
        where predicate: TypedPredicate<Object.Fields>, sortedBy descriptors: [TypedSortDescriptor<Object.Fields>] = [],
        limit: Int? = nil
    ) {
        self.init(where: FetchPredicate(predicate), sortedBy: descriptors.map(\.descriptor), limit: limit)
    }

    /// Makes a request for objects of a class in a typed order: for all objects, or by an untyped predicate.
    @_disfavoredOverload
    public init(
        where predicate: FetchPredicate? = nil, sortedBy descriptors: [TypedSortDescriptor<Object.Fields>],
        limit: Int? = nil
    ) {
        self.init(where: predicate, sortedBy: descriptors.map(\.descriptor), limit: limit)
    }

    /// The condition of the objects; `nil` for all objects.
    ///
    ///     var request = FetchRequest<Spending>()
    ///     request.predicate = \.amount < 100_00
    ///
    /// A condition in the format language is a typed one whose names the fetch checks.
    public var predicate: TypedPredicate<Object.Fields>? {
        get { untypedPredicate.map { TypedPredicate($0) } }
        set { untypedPredicate = newValue.map { FetchPredicate($0) } }
    }

    /// The order of the objects; the first descriptor takes precedence.
    ///
    ///     var request = FetchRequest<Spending>()
    ///     request.sortDescriptors = [.ascending(\.amount)]
    public var sortDescriptors: [TypedSortDescriptor<Object.Fields>] {
        get { untypedSortDescriptors.map { TypedSortDescriptor($0) } }
        set { untypedSortDescriptors = newValue.map(\.descriptor) }
    }

    /// Returns a copy of the request that also reads relationships with the objects:
    /// `.prefetching(\.author, \.author.country, \.tags)`.
    ///
    /// - Parameter relationships: Relationships to one object and to several. Every relationship of a path is read.
    public func prefetching<each Relationship: RelationshipPath>(
        _ relationships: repeat KeyPath<Object.Fields, each Relationship>
    ) -> FetchRequest {
        var request = self
        let root = Object.Fields(path: "")
        repeat request.prefetchedRelationships.append(root[keyPath: each relationships].path)
        return request
    }
}

extension FetchRequest {
    /// The condition where the type of the objects is not known to be typed.
    fileprivate var untypedPredicate: FetchPredicate? {
        get { predicate }
        set { predicate = newValue }
    }

    /// The order where the type of the objects is not known to be typed.
    fileprivate var untypedSortDescriptors: [FetchSortDescriptor] {
        get { sortDescriptors }
        set { sortDescriptors = newValue }
    }
}
