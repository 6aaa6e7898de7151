public import Predicates

// Requests made of the fields of a generated class.

extension FetchRequest where Object: TypedObject {
    /// Asks for objects of a class by a typed predicate, in a typed order.
    public init(
        where predicate: TypedPredicate<Object.Fields>, sortedBy descriptors: [TypedSortDescriptor<Object.Fields>] = [],
        limit: Int? = nil
    ) {
        self.init(where: FetchPredicate(predicate), sortedBy: descriptors.map(\.descriptor), limit: limit)
    }

    /// Asks for objects of a class in a typed order, for all of them or by a predicate of another kind.
    public init(
        where predicate: FetchPredicate? = nil, sortedBy descriptors: [TypedSortDescriptor<Object.Fields>],
        limit: Int? = nil
    ) {
        self.init(where: predicate, sortedBy: descriptors.map(\.descriptor), limit: limit)
    }

    /// The same request, which also reads relationships with the objects: `.prefetching(\.author, \.author.country, \.tags)`.
    ///
    /// - Parameter relationships: To one and to several; what stands before the last one of a path is read too.
    public func prefetching<each Relationship: RelationshipPath>(
        _ relationships: repeat KeyPath<Object.Fields, each Relationship>
    ) -> FetchRequest {
        var request = self
        let root = Object.Fields(path: "")
        repeat request.prefetchedRelationships.append(root[keyPath: each relationships].path)
        return request
    }
}
