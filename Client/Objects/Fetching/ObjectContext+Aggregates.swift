internal import GRDB
internal import Replica
internal import RoostModel

extension ObjectContext {
    /// Computes aggregates of groups of objects, such as the sum of amounts for each person.
    ///
    /// - Parameters:
    ///   - request: The request for the objects; its order, limit and offset are ignored.
    ///   - paths: The paths whose values the objects of a group have in common. No path puts all objects into one group, which
    ///     exists even where it is empty.
    /// - Returns: The groups in the order of their values. A group includes its objects in all stores.
    /// - Throws: As ``fetch(_:)``; ``ObjectError`` with the code `invalidRequest` for a sum or average of values that are not
    ///   numbers.
    public func fetchGroups<Object>(
        _ request: FetchRequest<Object>, by paths: [String] = [], _ aggregates: FetchAggregate...
    ) throws -> [FetchGroup] {
        try groups(of: request, by: paths, aggregates)
    }

    /// Computes aggregates of groups of objects, with the aggregates as a list; otherwise as ``fetchGroups(_:by:_:)``.
    package func groups<Object>(
        of request: FetchRequest<Object>, by paths: [String], _ aggregates: [FetchAggregate]
    ) throws -> [FetchGroup] {
        var compiler = try FetchCompiler(request, model)
        let groups = try paths.map { try compiler.expression($0) }
        let columns = try aggregates.map { try AggregateColumn($0, &compiler) }
        let list = (groups.map(\.sql) + columns.flatMap(\.sql)).joined(separator: ", ")
        let sql = compiler.select(list, groupedBy: groups.map(\.sql))
        var found: [[Value]: [AggregateTotal]] = [:]
        for store in try stores(of: request) {
            try read(store, "group \(compiler.entity.name)") { database in
                let query = try database.query(sql)
                while try query.step() {
                    let values = groups.enumerated().map { query.value(Int32($0), as: $1.kind) }
                    var totals = found[values] ?? columns.map { AggregateTotal($0) }
                    var place = Int32(groups.count)
                    for (index, column) in columns.enumerated() {
                        totals[index].add(column.kinds.enumerated().map { query.value(place + Int32($0), as: $1) })
                        place += Int32(column.kinds.count)
                    }
                    found[values] = totals
                }
            }
        }
        let keys = groups.map { FetchCompiler.SortKey(sql: $0.sql, kind: $0.kind, descriptor: .ascending("")) }
        return found.map { FetchGroup(values: $0.key, aggregates: $0.value.map(\.value)) }.sorted { left, right in
            for (index, key) in keys.enumerated() {
                let order = key.compare(left.values[index], right.values[index])
                if order != 0 { return order < 0 }
            }
            return false
        }
    }
}
