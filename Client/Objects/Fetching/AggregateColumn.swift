internal import RoostModel

/// What SQL gives for an aggregate of one store, and how those of several stores become one.
struct AggregateColumn {
    let function: FetchAggregate.Function
    /// One piece of SQL, or two for an average: the sum and how many values it has.
    let sql: [String]
    let kinds: [Attribute.Kind]

    /// - Throws: ``ObjectError`` with the code `invalidRequest` for a sum or average of what is no number.
    init(_ aggregate: FetchAggregate, _ compiler: inout FetchCompiler) throws {
        function = aggregate.function
        guard let path = aggregate.path else {
            sql = ["count(*)"]
            kinds = [.integer]
            return
        }
        let expression = try compiler.expression(path)
        switch aggregate.function {
        case .count:
            sql = ["count(\(expression.sql))"]
            kinds = [.integer]
        case .minimum, .maximum:
            sql = ["\(aggregate.function == .minimum ? "min" : "max")(\(expression.sql))"]
            kinds = [expression.kind]
        case .sum, .average:
            guard expression.kind == .integer || expression.kind == .double else {
                throw ObjectError(
                    .invalidRequest,
                    "Cannot add up \"\(path)\": it is of type \(expression.kind.rawValue). Choose an integer or a double."
                )
            }
            sql = ["roost_sum(\(expression.sql))", "count(\(expression.sql))"]
            kinds = [.data, .integer]
        }
    }
}
