internal import Objects
internal import RoostModel

/// A fetch: rows of records or of their values, or totals.
struct FetchCall {
    private let request: FetchRequest<ManagedObject>
    private let properties: [String]?
    private let isDistinct: Bool
    private let groupBy: [String]
    private let totals: [Total]

    /// One total, and the member of a row that has it.
    private struct Total {
        let aggregate: FetchAggregate
        let name: String
        /// The path whose type the result has; `nil` if the type does not depend on a path.
        var path: String?
        var kind = Attribute.Kind.double
        /// Whether the result is a double, unless the values of the path are integers.
        var isSum = false
    }

    init(_ members: inout Members) throws {
        request = try RequestForm(&members).request
        properties = try members.texts("properties")
        isDistinct = try members.boolean("distinct")
        groupBy = try members.texts("groupBy") ?? []
        totals = try Self.totals(&members)
        try check(members.place)
    }

    private static func totals(_ members: inout Members) throws -> [Total] {
        var totals: [Total] = []
        if try members.boolean("count") { totals.append(Total(aggregate: .count(), name: "@count", kind: .integer)) }
        for path in try members.texts("sum") ?? [] {
            totals.append(Total(aggregate: .sum(path), name: "@sum.\(path)", path: path, isSum: true))
        }
        for path in try members.texts("average") ?? [] {
            totals.append(Total(aggregate: .average(path), name: "@avg.\(path)"))
        }
        for path in try members.texts("minimum") ?? [] {
            totals.append(Total(aggregate: .minimum(path), name: "@min.\(path)", path: path))
        }
        for path in try members.texts("maximum") ?? [] {
            totals.append(Total(aggregate: .maximum(path), name: "@max.\(path)", path: path))
        }
        return totals
    }

    private var isTotal: Bool { !groupBy.isEmpty || !totals.isEmpty }

    /// Refuses members that exclude each other.
    private func check(_ place: String) throws(CallError) {
        func refuse(_ reason: String) -> CallError { CallError(.invalid, "invalidRequest", "\(place): \(reason)") }
        guard properties?.isEmpty != true else { throw refuse("\"properties\" names none. Leave it out for all.") }
        guard !isDistinct || properties != nil else {
            throw refuse("\"distinct\" needs \"properties\": records differ by their identifiers.")
        }
        guard request.sortDescriptors.isEmpty || !(isDistinct || isTotal) else {
            throw refuse("\"sort\" orders records. Distinct rows and groups come in the order of their values.")
        }
        guard !isTotal || properties == nil else {
            throw refuse("\"properties\" are of records, and totals are of many. Leave one out.")
        }
        guard groupBy.isEmpty || !totals.isEmpty else {
            throw refuse("\"groupBy\" needs a total. For the values alone, use \"properties\" with \"distinct\".")
        }
        guard !isTotal || !groupBy.isEmpty || (request.limit == nil && request.offset == 0) else {
            throw refuse("totals of all records are one row: leave \"limit\" and \"offset\" out.")
        }
    }

    // MARK: Running

    func run(_ use: ReplicaEntry.Use) throws -> JSONValue {
        // The entity is checked first, so that the error names those that exist.
        let form = try RowForm(request.entity, in: use.schema)
        return try isTotal ? groups(use) : rows(use, form)
    }

    private func rows(_ use: ReplicaEntry.Use, _ form: RowForm) throws -> JSONValue {
        let entity = form.entity
        // The `#` lets a property have the name of a keyword of the predicate language.
        let own = (entity.attributes.map(\.name) + entity.references.map(\.name)).map { (name: $0, path: "#\($0)") }
        let columns = properties?.map { (name: $0, path: $0) } ?? [("id", "id")] + own
        let kinds = try Self.kinds(of: columns.map(\.path), entity.name, in: use.schema)
        let rows = try use.context.fetchValues(request, columns.map(\.path), isDistinct: isDistinct)
        return table(Array(zip(columns.map(\.name), kinds)), rows)
    }

    private func groups(_ use: ReplicaEntry.Use) throws -> JSONValue {
        let groups = try use.context.groups(of: request, by: groupBy, totals.map(\.aggregate))
        let kinds = try Self.kinds(of: groupBy, request.entity, in: use.schema)
        let columns = try totals.map { total in
            guard let path = total.path else { return (total.name, total.kind) }
            let kind = try Self.kinds(of: [path], request.entity, in: use.schema)[0]
            // Only a sum of integers is an integer, unless it has more than 64 bits.
            return (total.name, total.isSum && kind != .integer ? .double : kind)
        }
        let rows = groups.dropFirst(request.offset).prefix(request.limit ?? .max).map { $0.values + $0.aggregates }
        return table(Array(zip(groupBy, kinds)) + columns, Array(rows))
    }

    private func table(_ columns: [(String, Attribute.Kind)], _ rows: [[Value]]) -> JSONValue {
        let rows = rows.map { row in
            JSONValue.object(zip(columns, row).map { JSONValue.Member($0.0, AttributeJSON.json($1, kind: $0.1)) })
        }
        return .members(("kinds", RowForm.kinds(columns.map { (name: $0, kind: $1) })), ("rows", .array(rows)))
    }

    /// Returns the types of the values at the ends of paths. A record's value is its identifier.
    private static func kinds(of paths: [String], _ entity: String, in schema: Schema) throws -> [Attribute.Kind] {
        var joins = try PathJoins(schema: schema, entity: entity)
        return try paths.map { path in
            if case .value(let kind) = try joins.expression(forPath: path).kind { kind } else { .uuid }
        }
    }
}
