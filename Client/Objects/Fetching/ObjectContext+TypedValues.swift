public import Predicates
internal import RoostModel

// Values and numbers asked for by the fields of a generated class, which come with their types.

extension ObjectContext {
    /// Some fields of what a request asks for, in its order; no objects are made.
    ///
    ///     for (title, author) in try context.fetchValues(request, \.title, \.author.name) { … }
    ///
    /// A value is nil where the attribute is, and where the path leads nowhere. One field comes as an array of its values.
    ///
    /// - Parameters:
    ///   - request: Which objects.
    ///   - fields: Attributes, also those at the other end of to-one relationships.
    ///   - isDistinct: Whether rows that are alike are one. They come in the order of their values then, and not in the request's.
    /// - Throws: As ``fetch(_:)``; ``ObjectError`` with the code `invalidValue` where the schema has another type by now than the
    ///   class.
    public func fetchValues<Object: TypedObject, each Field: AttributeValue>(
        _ request: FetchRequest<Object>, _ fields: repeat KeyPath<Object.Fields, FieldPath<each Field>>,
        isDistinct: Bool = false
    ) throws -> [(repeat (each Field)?)] {
        var paths: [String] = []
        repeat paths.append((each fields).formatPath())
        return try fetchValues(request, paths, isDistinct: isDistinct).map { values in
            var row = TypedRow(paths: paths, values: values)
            return (repeat try row.next((each Field).self))
        }
    }

    /// Numbers that are made of groups of objects, such as the sum of amounts for each person.
    ///
    ///     for (author, pages) in try context.fetchGroups(all, by: \.author.name, computing: .sum(\.pages)) { … }
    ///
    /// - Parameters:
    ///   - request: Which objects; its order, limit and offset are of no account.
    ///   - fields: What the objects of a group have in common.
    ///   - aggregates: What is computed of each group.
    /// - Returns: The groups in the order of their values, whole groups also where their objects lie in several stores. Several
    ///   values or aggregates are a tuple.
    /// - Throws: As ``fetch(_:)``; ``ObjectError`` with the code `invalidValue` for a sum of whole numbers that 64 bits do not hold,
    ///   and where the schema has another type by now than the class.
    public func fetchGroups<Object: TypedObject, each Field: AttributeValue, each Result>(
        _ request: FetchRequest<Object>, by fields: repeat KeyPath<Object.Fields, FieldPath<each Field>>,
        computing aggregates: repeat TypedAggregate<Object.Fields, each Result>
    ) throws -> [(values: (repeat (each Field)?), aggregates: (repeat each Result))] {
        var paths: [String] = []
        repeat paths.append((each fields).formatPath())
        var untyped: [FetchAggregate] = []
        repeat untyped.append((each aggregates).aggregate)
        return try groups(of: request, by: paths, untyped).map { group in
            var row = TypedRow(paths: paths, values: group.values)
            let values = (repeat try row.next((each Field).self))
            var results = group.aggregates[...]
            return (values, (repeat try (each aggregates).result(of: results.removeFirst())))
        }
    }

    /// Numbers that are made of all that a request asks for together.
    ///
    ///     let (pages, count) = try context.fetchAggregates(all, .sum(\.pages), .count())
    ///
    /// - Parameters:
    ///   - request: Which objects; its order, limit and offset are of no account.
    ///   - aggregates: What is computed of them.
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
