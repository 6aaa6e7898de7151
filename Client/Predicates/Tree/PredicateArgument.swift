public import Foundation
public import RoostModel

/// What can stand in a predicate as a value: in place of `%@`, or beside a field.
public protocol PredicateArgument {
    /// The value as the predicate keeps it.
    var predicateValue: PredicateValue { get }
}

/// What names a record, so that it can be compared with a relationship: an object, its ``ObjectID``, a record's identifier.
public protocol PredicateReference: PredicateArgument {}

/// A value that has a next smaller one among those that are stored, so that a half-open range of them is a list of two ends.
public protocol PredicateRangeBound: PredicateArgument, Comparable {
    /// The ends of BETWEEN that the half-open range from `lower` to `upper` amounts to.
    static func predicateEnds(from lower: Self, to upper: Self) -> [PredicateValue]
}

extension PredicateValue: PredicateArgument {
    public var predicateValue: PredicateValue { self }
}

extension PredicateArgument where Self: RawRepresentable, RawValue: PredicateArgument {
    /// The raw value, so that an enumeration only has to be declared as an argument.
    public var predicateValue: PredicateValue { rawValue.predicateValue }
}

extension String: PredicateArgument {
    public var predicateValue: PredicateValue { .text(self) }
}

extension Substring: PredicateArgument {
    public var predicateValue: PredicateValue { .text(String(self)) }
}

extension Bool: PredicateArgument {
    public var predicateValue: PredicateValue { .boolean(self) }
}

extension PredicateArgument where Self: FixedWidthInteger {
    /// The number; one that 64 bits with a sign cannot hold becomes a double.
    public var predicateValue: PredicateValue {
        Int64(exactly: self).map(PredicateValue.integer) ?? .real(Double(self))
    }
}

extension PredicateRangeBound where Self: FixedWidthInteger {
    public static func predicateEnds(from lower: Self, to upper: Self) -> [PredicateValue] {
        // From 1 to 0 lies nothing.
        lower == upper ? [.integer(1), .integer(0)] : [lower.predicateValue, (upper - 1).predicateValue]
    }
}

extension Int: PredicateRangeBound {}
extension Int8: PredicateRangeBound {}
extension Int16: PredicateRangeBound {}
extension Int32: PredicateRangeBound {}
extension Int64: PredicateRangeBound {}
extension UInt: PredicateRangeBound {}
extension UInt8: PredicateRangeBound {}
extension UInt16: PredicateRangeBound {}
extension UInt32: PredicateRangeBound {}
extension UInt64: PredicateRangeBound {}

extension Double: PredicateRangeBound {
    public var predicateValue: PredicateValue { isNaN ? .null : .real(self) }

    public static func predicateEnds(from lower: Double, to upper: Double) -> [PredicateValue] {
        [lower.predicateValue, upper.nextDown.predicateValue]
    }
}

extension Float: PredicateArgument {
    public var predicateValue: PredicateValue { Double(self).predicateValue }
}

extension Date: PredicateRangeBound {
    /// The instant, to the millisecond; the nearest that 64 bits can hold.
    public var predicateValue: PredicateValue { .timestamp(predicateMilliseconds) }

    public static func predicateEnds(from lower: Date, to upper: Date) -> [PredicateValue] {
        let (last, overflow) = upper.predicateMilliseconds.subtractingReportingOverflow(1)
        // Before the first instant lies nothing.
        return overflow ? [.timestamp(1), .timestamp(0)] : [lower.predicateValue, .timestamp(last)]
    }

    private var predicateMilliseconds: Int64 {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
    }
}

extension UUID: PredicateReference {
    public var predicateValue: PredicateValue {
        let bytes = withUnsafeBytes(of: uuid) { Array($0) }
        return RecordID(bytes: bytes).map(PredicateValue.identifier) ?? .bytes(bytes)
    }
}

extension RecordID: PredicateReference {
    public var predicateValue: PredicateValue { .identifier(self) }
}

extension Data: PredicateArgument {
    public var predicateValue: PredicateValue { .bytes(Array(self)) }
}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
    public var predicateValue: PredicateValue { self?.predicateValue ?? .null }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    /// A list; bytes are data.
    public var predicateValue: PredicateValue {
        if let bytes = self as? [UInt8] { return .bytes(bytes) }
        return .list(map(\.predicateValue))
    }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    /// A list, in no particular order.
    public var predicateValue: PredicateValue { .list(map(\.predicateValue)) }
}

extension ClosedRange: PredicateArgument where Bound: PredicateArgument {
    /// The two ends, as BETWEEN takes them.
    public var predicateValue: PredicateValue { .list([lowerBound.predicateValue, upperBound.predicateValue]) }
}

extension Range: PredicateArgument where Bound: PredicateRangeBound {
    /// The two ends, as BETWEEN takes them: the upper one is the last that still lies in the range.
    public var predicateValue: PredicateValue { .list(Bound.predicateEnds(from: lowerBound, to: upperBound)) }
}
