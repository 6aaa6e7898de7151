public import Foundation
public import RoostModel

/// A value in a predicate: an argument for `%@`, or an operand of a typed comparison.
public protocol PredicateArgument {
    /// The type of the values that an attribute of this type is compared with; this type unless it is declared.
    associatedtype Operand = Self

    /// The value in the form that a predicate stores.
    var predicateValue: PredicateValue { get }

    /// Converts an operand to the form that a predicate stores.
    static func predicateValue(of operand: Operand) -> PredicateValue
}

extension PredicateArgument where Operand == Self {
    /// The value of an operand of this type.
    public static func predicateValue(of operand: Self) -> PredicateValue { operand.predicateValue }
}

/// A reference to a record, which is compared with a relationship: an object, its ``ObjectID``, or a record's identifier.
public protocol PredicateReference: PredicateArgument where Operand == any PredicateReference {}

extension PredicateReference {
    /// The value of a reference of any type.
    public static func predicateValue(of operand: any PredicateReference) -> PredicateValue { operand.predicateValue }
}

/// A whole number. An attribute of whole numbers is compared with every integer type, so an `Int` needs no conversion.
public protocol PredicateInteger: PredicateRangeBound, FixedWidthInteger where Operand == any PredicateInteger {}

extension PredicateInteger {
    /// The value of a whole number of any type.
    public static func predicateValue(of operand: any PredicateInteger) -> PredicateValue { operand.predicateValue }
}

/// A value with a predecessor in stored form, so that BETWEEN can express a half-open range.
public protocol PredicateRangeBound: PredicateArgument, Comparable {
    /// The two operands of BETWEEN that select the half-open range from `lower` to `upper`.
    static func predicateEnds(from lower: Self, to upper: Self) -> [PredicateValue]
}

extension PredicateValue: PredicateArgument {
    public var predicateValue: PredicateValue { self }
}

extension PredicateArgument where Self: RawRepresentable, RawValue: PredicateArgument {
    /// The raw value: an enumeration only needs to declare the conformance.
    public var predicateValue: PredicateValue { rawValue.predicateValue }
}

extension String: PredicateArgument {
    public var predicateValue: PredicateValue { .string(self) }
}

extension Substring: PredicateArgument {
    public var predicateValue: PredicateValue { .string(String(self)) }
}

extension Bool: PredicateArgument {
    public var predicateValue: PredicateValue { .boolean(self) }
}

extension PredicateInteger {
    /// The number; a number beyond `Int64` becomes a double.
    public var predicateValue: PredicateValue {
        Int64(exactly: self).map(PredicateValue.integer) ?? .double(Double(self))
    }

    public static func predicateEnds(from lower: Self, to upper: Self) -> [PredicateValue] {
        // BETWEEN 1 and 0 selects nothing.
        lower == upper ? [.integer(1), .integer(0)] : [lower.predicateValue, (upper - 1).predicateValue]
    }
}

extension Int: PredicateInteger {}
extension Int8: PredicateInteger {}
extension Int16: PredicateInteger {}
extension Int32: PredicateInteger {}
extension Int64: PredicateInteger {}
extension UInt: PredicateInteger {}
extension UInt8: PredicateInteger {}
extension UInt16: PredicateInteger {}
extension UInt32: PredicateInteger {}
extension UInt64: PredicateInteger {}

extension Double: PredicateRangeBound {
    public var predicateValue: PredicateValue { isNaN ? .null : .double(self) }

    public static func predicateEnds(from lower: Double, to upper: Double) -> [PredicateValue] {
        [lower.predicateValue, upper.nextDown.predicateValue]
    }
}

extension Float: PredicateArgument {
    public var predicateValue: PredicateValue { Double(self).predicateValue }
}

extension Date: PredicateRangeBound {
    /// The instant in milliseconds, clamped to 64 bits.
    public var predicateValue: PredicateValue { .timestamp(predicateMilliseconds) }

    public static func predicateEnds(from lower: Date, to upper: Date) -> [PredicateValue] {
        let (last, overflow) = upper.predicateMilliseconds.subtractingReportingOverflow(1)
        // No instant precedes the first: an empty range.
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
        return RecordID(bytes: bytes).map(PredicateValue.identifier) ?? .data(bytes)
    }
}

extension RecordID: PredicateReference {
    public var predicateValue: PredicateValue { .identifier(self) }
}

extension Data: PredicateArgument {
    public var predicateValue: PredicateValue { .data(Array(self)) }
}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
    public var predicateValue: PredicateValue { self?.predicateValue ?? .null }
}

extension Array: PredicateArgument where Element: PredicateArgument {
    /// A list; an array of bytes is data.
    public var predicateValue: PredicateValue {
        if let bytes = self as? [UInt8] { return .data(bytes) }
        return .list(map(\.predicateValue))
    }
}

extension Set: PredicateArgument where Element: PredicateArgument {
    /// A list, in no particular order.
    public var predicateValue: PredicateValue { .list(map(\.predicateValue)) }
}

extension ClosedRange: PredicateArgument where Bound: PredicateArgument {
    /// The two operands of BETWEEN.
    public var predicateValue: PredicateValue { .list([lowerBound.predicateValue, upperBound.predicateValue]) }
}

extension Range: PredicateArgument where Bound: PredicateRangeBound {
    /// The two operands of BETWEEN; the upper one is the last value in the range.
    public var predicateValue: PredicateValue { .list(Bound.predicateEnds(from: lowerBound, to: upperBound)) }
}
