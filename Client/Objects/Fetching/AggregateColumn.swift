internal import RoostModel

/// The SQL of an aggregate of one store, whose results of several stores are combined into one.
struct AggregateColumn {
    let function: FetchAggregate.Function
    /// One SQL expression, or two for a sum or an average: the sum and the number of values.
    let sql: [String]
    let kinds: [Attribute.Kind]

    /// Compiles an aggregate.
    ///
    /// - Throws: ``ObjectError`` with the code `invalidRequest` for a sum or average of values that are not numbers.
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
