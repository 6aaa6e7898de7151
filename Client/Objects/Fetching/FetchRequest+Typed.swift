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
}
