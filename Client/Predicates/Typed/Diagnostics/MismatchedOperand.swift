public import Foundation

/// The type of a property that a value of another type was given for.
///
/// Every conformance is unavailable. The compiler finds the overload that needs it at once, and prints the message of the conformance,
/// instead of trying each meaning of each operator (decision 233).
@_documentation(visibility: internal)
public protocol MismatchedOperand {}

@available(*, unavailable, message: "The value of a text, date or JSON attribute is a String.")
extension String: MismatchedOperand {}

@available(*, unavailable, message: "The value of an integer attribute is a whole number, such as an Int.")
extension Int64: MismatchedOperand {}

@available(*, unavailable, message: "The value of a double attribute is a Double.")
extension Double: MismatchedOperand {}

@available(*, unavailable, message: "The value of a boolean attribute is a Bool.")
extension Bool: MismatchedOperand {}

@available(*, unavailable, message: "The value of a timestamp attribute is a Date.")
extension Date: MismatchedOperand {}

@available(*, unavailable, message: "The value of a uuid attribute is a UUID.")
extension UUID: MismatchedOperand {}

@available(*, unavailable, message: "The value of a data attribute is Data.")
extension Data: MismatchedOperand {}
