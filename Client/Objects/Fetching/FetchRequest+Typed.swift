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
    public init(
        where predicate: FetchPredicate? = nil, sortedBy descriptors: [TypedSortDescriptor<Object.Fields>],
        limit: Int? = nil
    ) {
        self.init(where: predicate, sortedBy: descriptors.map(\.descriptor), limit: limit)
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
