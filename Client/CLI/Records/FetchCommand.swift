internal import ArgumentParser
internal import Objects
internal import RoostModel
internal import Terminal

struct FetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Print the records that a predicate selects, their values, or totals. Changes no record.",
        discussion: """
            The predicate is in the format language: person.name BEGINSWITH[cd] "eva" AND amount > 10_00, ANY spendings.amount > 5, \
            spendings.@count == 0. Docs/objects.md leads to all of it. A path is a property, or one at the other end of to-one \
            relationships, such as person.name; id is the identifier. Several paths have commas between them.

            A path to sort by may have words behind it: amount:descending, name:localized (as a dictionary has it, É beside E), \
            name:localized:descending. A nil comes before all values; what is equal is in the order of the identifiers.

            Totals are named as in predicates: @count, @sum.amount, @avg.amount, @min.amount, @max.amount. With --json every row \
            is an object; without, long values are cut.

            EXAMPLES
              roost fetch trip.roost Spending \\
                --sort person.name:localized,amount:descending
              roost fetch trip.roost Spending \\
                --where 'amount > 10_00 AND person.name == %@' --argument "$name" \\
                --properties content,amount,person.name --json
              roost fetch trip.roost Spending --properties currency --distinct
              roost fetch trip.roost Person --count \\
                --where 'NONE spendings.amount > 50_00'
              roost fetch trip.roost Spending \\
                --group-by person.name --count --sum amount
            """)

    @OptionGroup var selection: SelectionOptions
    @Option(help: "The paths to sort by, each with its words.", transform: SortList.init)
    var sort: SortList?
    @Option(help: "How many rows at most.")
    var limit: Int?
    @Option(help: "How many of the first rows are left out.")
    var offset = 0
    @Option(help: "The paths to print. Default: the identifier, all attributes and to-one relationships.")
    var properties: String?
    @Flag(help: "Rows that are alike are one; they come in the order of their values.")
    var distinct = false
    @Option(help: "The paths whose values make a group; groups come in the order of these values.")
    var groupBy: String?
    @OptionGroup var aggregates: AggregateOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit is \(limit), expected a whole number from 0.") }
        guard offset >= 0 else { throw ValidationError("--offset is \(offset), expected a whole number from 0.") }
        guard !distinct || properties != nil else {
            throw ValidationError("--distinct needs --properties: records differ by their identifiers.")
        }
        guard sort == nil || !(distinct || isTotal) else {
            throw ValidationError("--sort orders records. Distinct rows and groups come in the order of their values.")
        }
        guard !isTotal || properties == nil else {
            throw ValidationError("--properties are of records, and totals are of many. Leave one out.")
        }
        guard groupBy == nil || !aggregates.columns.isEmpty else {
            throw ValidationError(
                "--group-by needs --count, --sum or another total. For the values alone, use --properties with --distinct."
            )
        }
        guard !isTotal || groupBy != nil || (limit == nil && offset == 0) else {
            throw ValidationError("Totals of all records are one row: leave --limit and --offset out.")
        }
    }

    private var isTotal: Bool { groupBy != nil || !aggregates.columns.isEmpty }

    func run() async throws {
        try await common.run {
            let context = try selection.context()
            let table = try isTotal ? totals(in: context) : rows(in: context)
            if common.json {
                for value in table.json { Console.write(value) }
            } else if aggregates.count, table.columns.count == 1, case .integer(let count)? = table.rows.first?.first {
                Console.write("\(count)")
            } else if table.rows.isEmpty {
                Console.write("Nothing was found.")
            } else {
                for line in table.lines { Console.write(line) }
            }
        }
    }

    private func rows(in context: ObjectContext) throws -> ValueTable {
        var request = try selection.request()
        request.sortDescriptors = sort?.descriptors ?? []
        request.limit = limit
        request.offset = offset
        let entity = try selection.entity(in: context)
        let named = named(of: entity)
        let kinds = try ValueTable.kinds(of: named.map(\.path), entity.name, in: context.coordinator.model.schema)
        return ValueTable(
            columns: zip(named, kinds).map { .init(name: $0.name, kind: $1) },
            rows: try context.fetchValues(request, named.map(\.path), isDistinct: distinct))
    }

    /// Returns the columns to print of each record: the name and the path of each.
    private func named(of entity: Entity) -> [(name: String, path: String)] {
        if let properties { return [String](paths: properties).map { ($0, $0) } }
        // The `#` lets a property have the name of a keyword of the predicate language.
        let own = (entity.attributes.map(\.name) + entity.references.map(\.name)).map { (name: $0, path: "#\($0)") }
        return [("id", "id")] + own
    }

    private func totals(in context: ObjectContext) throws -> ValueTable {
        let entity = try selection.entity(in: context)
        let schema = context.coordinator.model.schema
        let paths = groupBy.map { [String](paths: $0) } ?? []
        let columns = aggregates.columns
        let groups = try context.groups(of: try selection.request(), by: paths, columns.map(\.aggregate))
        let kinds = try ValueTable.kinds(of: paths, entity.name, in: schema)
        return ValueTable(
            columns: zip(paths, kinds).map { .init(name: $0, kind: $1) }
                + (try columns.map { column in
                    let kind = try column.path.map { try ValueTable.kinds(of: [$0], entity.name, in: schema)[0] }
                    return .init(name: column.name, kind: kind ?? .double)
                }),
            rows: groups.dropFirst(offset).prefix(limit ?? .max).map { $0.values + $0.aggregates })
    }
}
