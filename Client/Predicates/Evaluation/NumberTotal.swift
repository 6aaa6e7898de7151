package import RoostModel

/// The sum and average of numbers, independent of their order.
///
/// Integers are added without rounding; doubles are added from the smallest to the largest.
package struct NumberTotal: Sendable {
    private var whole: Int128 = 0
    private var doubles: [Double] = []
    private var count = 0

    package init() {}

    /// Adds a number; ignores nil.
    package mutating func add(_ value: Value) {
        switch value {
        case .integer(let number): whole += Int128(number)
        case .double(let number) where !number.isNaN: doubles.append(number)
        default: return
        }
        count += 1
    }

    /// The sum: 0 without numbers, a double on overflow, nil for NaN, such as the sum of both infinities.
    package var sum: Value {
        if doubles.isEmpty, let exact = Int64(exactly: whole) { return .integer(exact) }
        return real(total)
    }

    /// The average; nil without numbers.
    package var average: Value { count == 0 ? .null : real(total / Double(count)) }

    private var total: Double { doubles.sorted().reduce(0, +) + Double(whole) }
    private func real(_ number: Double) -> Value { number.isNaN ? .null : .double(number) }
}
