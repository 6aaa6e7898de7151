package import RoostModel

/// SQLite's arithmetic: integers stay integers, a result beyond 64 bits is a double, and a division by zero is nil.
package enum NumberArithmetic {
    package static func apply(
        _ operation: PredicateTerm.ArithmeticOperator, _ left: Value, _ right: Value
    ) -> Value {
        if case .integer(let first) = left, case .integer(let second) = right,
            let whole = whole(operation, first, second)
        {
            return whole
        }
        guard let first = double(left), let second = double(right) else { return .null }
        let result: Double
        switch operation {
        case .add: result = first + second
        case .subtract: result = first - second
        case .multiply: result = first * second
        case .divide:
            if second == 0 { return .null }
            result = first / second
        }
        return result.isNaN ? .null : .double(result)
    }

    /// The exact result, or `nil` on overflow.
    private static func whole(
        _ operation: PredicateTerm.ArithmeticOperator, _ left: Int64, _ right: Int64
    ) -> Value? {
        let (result, overflow): (Int64, Bool)
        switch operation {
        case .add: (result, overflow) = left.addingReportingOverflow(right)
        case .subtract: (result, overflow) = left.subtractingReportingOverflow(right)
        case .multiply: (result, overflow) = left.multipliedReportingOverflow(by: right)
        case .divide:
            if right == 0 { return .null }
            (result, overflow) = left.dividedReportingOverflow(by: right)
        }
        return overflow ? nil : .integer(result)
    }

    private static func double(_ value: Value) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}
