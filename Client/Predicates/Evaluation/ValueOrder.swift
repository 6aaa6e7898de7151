package import RoostModel

/// The order of values in predicates, equal to SQLite's: numbers by value, also an integer with a double;
/// texts and data by their bytes.
package enum ValueOrder {
    /// Compares two values: less than 0, 0, or more than 0; `nil` if one is nil or their kinds have no order.
    package static func compare(_ left: Value, _ right: Value) -> Int? {
        switch (plain(left), plain(right)) {
        case (.integer(let left), .integer(let right)): order(left, right)
        case (.double(let left), .double(let right)): order(left, right)
        case (.integer(let left), .double(let right)): compare(left, right)
        case (.double(let left), .integer(let right)): compare(right, left).map { -$0 }
        case (.string(let left), .string(let right)): order(left.utf8, right.utf8)
        case (.data(let left), .data(let right)): order(left, right)
        default: nil
        }
    }

    /// Whether both are nil, or equal.
    package static func isEqual(_ left: Value, _ right: Value) -> Bool {
        switch (plain(left), plain(right)) {
        case (.null, .null): true
        case (.null, _), (_, .null): false
        default: compare(left, right) == 0
        }
    }

    /// The value as a number: a boolean is 0 or 1, NaN is nil.
    static func plain(_ value: Value) -> Value {
        switch value {
        case .boolean(let flag): .integer(flag ? 1 : 0)
        case .double(let number) where number.isNaN: .null
        default: value
        }
    }

    private static func order<Item: Comparable>(_ left: Item, _ right: Item) -> Int {
        left < right ? -1 : left == right ? 0 : 1
    }

    private static func order(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Int {
        if left.lexicographicallyPrecedes(right) { return -1 }
        return left.elementsEqual(right) ? 0 : 1
    }

    /// Compares without rounding: beyond 2^53 not every integer has a double.
    private static func compare(_ left: Int64, _ right: Double) -> Int? {
        if right.isNaN { return nil }
        if right >= 0x1p63 { return -1 }
        if right < -0x1p63 { return 1 }
        let whole = right.rounded(.towardZero)
        let number = Int64(whole)
        return number == left ? order(whole, right) : order(left, number)
    }
}
