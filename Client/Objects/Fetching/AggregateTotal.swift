internal import Predicates
internal import RoostModel

/// The running total of an aggregate over several stores.
struct AggregateTotal {
    private let function: FetchAggregate.Function
    private let kind: Attribute.Kind
    private var total = NumberTotal()
    private var count: Int64 = 0
    private var extreme = Value.null

    init(_ column: AggregateColumn) {
        function = column.function
        kind = column.kinds[0]
    }

    /// Adds the result of one store: one value for each SQL expression of the column.
    mutating func add(_ values: [Value]) {
        switch function {
        case .count: total.add(values[0])
        case .sum, .average:
            total.add(values[0])
            if case .integer(let number) = values[1] { count += number }
        case .minimum, .maximum: take(values[0])
        }
    }

    private mutating func take(_ value: Value) {
        guard value != .null else { return }
        let key = FetchCompiler.SortKey(sql: "", kind: kind, descriptor: .ascending(""))
        let order = key.compare(value, extreme)
        if extreme == .null || (function == .minimum ? order < 0 : order > 0) { extreme = value }
    }

    var value: Value {
        switch function {
        case .count, .sum: return total.sum
        case .minimum, .maximum: return extreme
        case .average:
            guard count > 0 else { return .null }
            switch total.sum {
            case .integer(let sum): return .double(Double(sum) / Double(count))
            case .double(let sum): return .double(sum / Double(count))
            default: return .null
            }
        }
    }
}
