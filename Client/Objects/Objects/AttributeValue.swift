public import Foundation
public import RoostModel

/// A Swift type of attributes of generated classes.
public protocol AttributeValue: Sendable {
    /// Reads a value; `nil` for a value of another form.
    init?(attribute value: Value)
    /// The value in its stored form.
    var attributeValue: Value { get }
    /// The value that a required attribute reads as before it is set.
    static var blank: Self { get }
}

extension String: AttributeValue {
    public init?(attribute value: Value) {
        guard case .string(let text) = value else { return nil }
        self = text
    }

    public var attributeValue: Value { .string(self) }
    public static var blank: String { "" }
}

extension Int64: AttributeValue {
    public init?(attribute value: Value) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }

    public var attributeValue: Value { .integer(self) }
    public static var blank: Int64 { 0 }
}

extension Double: AttributeValue {
    public init?(attribute value: Value) {
        guard case .double(let number) = value else { return nil }
        self = number
    }

    public var attributeValue: Value { .double(self) }
    public static var blank: Double { 0 }
}

extension Bool: AttributeValue {
    public init?(attribute value: Value) {
        guard case .boolean(let flag) = value else { return nil }
        self = flag
    }

    public var attributeValue: Value { .boolean(self) }
    public static var blank: Bool { false }
}

extension Date: AttributeValue {
    /// Reads milliseconds since 1970.
    public init?(attribute value: Value) {
        guard case .integer(let milliseconds) = value else { return nil }
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// Milliseconds since 1970, rounded. A date outside the range of a 64-bit number of milliseconds, such as one of NaN, becomes
    /// a double. No timestamp attribute accepts a double, so the save fails.
    public var attributeValue: Value {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: milliseconds).map { .integer($0) } ?? .double(milliseconds)
    }

    public static var blank: Date { Date(timeIntervalSince1970: 0) }
}

extension UUID: AttributeValue {
    public init?(attribute value: Value) {
        guard case .data(let bytes) = value, bytes.count == 16 else { return nil }
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    public var attributeValue: Value { .data(withUnsafeBytes(of: uuid) { Array($0) }) }
    public static var blank: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}

extension Data: AttributeValue {
    public init?(attribute value: Value) {
        guard case .data(let bytes) = value else { return nil }
        self.init(bytes)
    }

    public var attributeValue: Value { .data(Array(self)) }
    public static var blank: Data { Data() }
}
