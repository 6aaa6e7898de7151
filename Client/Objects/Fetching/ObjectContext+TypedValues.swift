public import Predicates
internal import RoostModel

// Values and aggregates of the fields of a generated class, with static types.

extension ObjectContext {
    /// Returns some fields of the objects that a request asks for, in its order, without making objects.
    ///
    ///     for (title, author) in try context.fetchValues(request, \.title, \.author.name) { … }
    ///
    /// A value is nil where the attribute is nil, or where the path leads to no object. A single field yields an array of its
    /// values.
    ///
    /// - Parameters:
    ///   - request: The request for the objects.
    ///   - fields: Attributes, also those at the other end of to-one relationships.
    ///   - isDistinct: Whether equal rows are combined. The rows are then in the order of their values instead of the request's.
    /// - Throws: As ``fetch(_:)``; ``ObjectError`` with the code `invalidValue` where the type in the schema differs from the
    ///   type in the class.
    public func fetchValues<Object: TypedObject, each Path: AttributePath>(
        _ request: FetchRequest<Object>, _ fields: repeat KeyPath<Object.Fields, each Path>, isDistinct: Bool = false
    ) throws -> [(repeat (each Path).Value?)] where repeat (each Path).Value: AttributeValue {
        var paths: [String] = []
        repeat paths.append((each fields).formatPath())
        return try fetchValues(request, paths, isDistinct: isDistinct).map { values in
            var row = TypedRow(paths: paths, values: values)
            return (repeat try row.next((each Path).Value.self))
        }
    }

    /// Computes aggregates of groups of objects, such as the sum of amounts for each person.
    ///
    ///     for (author, pages) in try context.fetchGroups(all, by: \.author.name, computing: .sum(\.pages)) { … }
    ///
    /// - Parameters:
    ///   - request: The request for the objects; its order, limit and offset are ignored.
    ///   - fields: The fields whose values the objects of a group have in common.
    ///   - aggregates: The aggregates to compute for each group.
    /// - Returns: The groups in the order of their values. A group includes its objects in all stores. Several values or
    ///   aggregates are a tuple.
    /// - Throws: As ``fetch(_:)``; ``ObjectError`` with the code `invalidValue` for a sum of whole numbers beyond 64 bits, and
    ///   where the type in the schema differs from the type in the class.
    public func fetchGroups<Object: TypedObject, each Path: AttributePath, each Result>(
        _ request: FetchRequest<Object>, by fields: repeat KeyPath<Object.Fields, each Path>,
        computing aggregates: repeat TypedAggregate<Object.Fields, each Result>
    ) throws -> [(values: (repeat (each Path).Value?), aggregates: (repeat each Result))]
    where repeat (each Path).Value: AttributeValue {
        var paths: [String] = []
        repeat paths.append((each fields).formatPath())
        var untyped: [FetchAggregate] = []
        repeat untyped.append((each aggregates).aggregate)
        return try groups(of: request, by: paths, untyped).map { group in
            var row = TypedRow(paths: paths, values: group.values)
            let values = (repeat try row.next((each Path).Value.self))
            var results = group.aggregates[...]
            return (values, (repeat try (each aggregates).result(of: results.removeFirst())))
        }
    }

    /// Computes aggregates of all objects that a request asks for.
    ///
    ///     let (pages, count) = try context.fetchAggregates(all, .sum(\.pages), .count())
    ///
    /// - Parameters:
    ///   - request: The request for the objects; its order, limit and offset are ignored.
    ///   - aggregates: The aggregates to compute.
    /// - Throws: As ``fetchGroups(_:by:computing:)``.
    public func fetchAggregates<Object: TypedObject, each Result>(
        _ request: FetchRequest<Object>, _ aggregates: repeat TypedAggregate<Object.Fields, each Result>
    ) throws -> (repeat each Result) {
        var untyped: [FetchAggregate] = []
        repeat untyped.append((each aggregates).aggregate)
        var results = try groups(of: request, by: [], untyped).flatMap(\.aggregates)[...]
        return (repeat try (each aggregates).result(of: results.removeFirst()))
    }
}

/// A row of values that is read from left to right.
private struct TypedRow {
    let paths: [String]
    let values: [Value]
    private var place = 0

    init(paths: [String], values: [Value]) {
        self.paths = paths
        self.values = values
    }

    mutating func next<Field: AttributeValue>(_ type: Field.Type) throws -> Field? {
        defer { place += 1 }
        if let value = values[place].nilOr(type) { return value }
        throw ObjectError(
            .invalidValue,
            "Cannot give \"\(paths[place])\" as \(type): it is \(values[place].formName). Generate the classes anew from the schema."
        )
    }
}
