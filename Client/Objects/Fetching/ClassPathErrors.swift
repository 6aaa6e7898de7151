public import Foundation
public import Predicates

// Paths of the class instead of its fields, such as `\Spending.amount < 3`: the compiler's errors in conditions and orders. No code
// that uses one of these declarations compiles (decision 233).

/// The type of a property of a class. Conditions and orders are about the class's fields, so each conformance is unavailable.
@_documentation(visibility: internal)
public protocol PropertyOfAClass {}

@available(*, unavailable, message: "Conditions name Fields of a class: \\.name, or (\\Fields.name) before a method.")
extension Int64: PropertyOfAClass {}

@available(*, unavailable, message: "Conditions name Fields of a class: \\.name, or (\\Fields.name) before a method.")
extension Double: PropertyOfAClass {}

@available(*, unavailable, message: "Conditions name Fields of a class: \\.name, or (\\Fields.name) before a method.")
extension Bool: PropertyOfAClass {}

@available(*, unavailable, message: "Conditions name Fields of a class: \\.name, or (\\Fields.name) before a method.")
extension String: PropertyOfAClass {}

@available(*, unavailable, message: "Conditions name Fields of a class: \\.name, or (\\Fields.name) before a method.")
extension Date: PropertyOfAClass {}

@available(*, unavailable, message: "Conditions name Fields of a class: \\.name, or (\\Fields.name) before a method.")
extension UUID: PropertyOfAClass {}

@available(*, unavailable, message: "Conditions name Fields of a class: \\.name, or (\\Fields.name) before a method.")
extension Data: PropertyOfAClass {}

@available(*, unavailable, message: "Conditions name Fields of a class: \\.name, or (\\Fields.name) before a method.")
extension Optional: PropertyOfAClass {}

@available(*, unavailable, message: "Conditions name Fields of a class: \\.name, or (\\Fields.name) before a method.")
extension Array: PropertyOfAClass {}

// MARK: Operators

// A path whose value may be nil has no overload: that of a path such as `\.person?.name`, which has a question mark too many, would be
// an error about its root.

/// Reports a path that begins with a class.
@_documentation(visibility: internal) @_disfavoredOverload
public func == <Object: TypedObject, Value: AttributeValue & PropertyOfAClass, Other>(
    path: KeyPath<Object, Value>, value: Other
) -> TypedPredicate<Object.Fields> { .none }

/// Reports a path that begins with a class.
@_documentation(visibility: internal) @_disfavoredOverload
public func != <Object: TypedObject, Value: AttributeValue & PropertyOfAClass, Other>(
    path: KeyPath<Object, Value>, value: Other
) -> TypedPredicate<Object.Fields> { .none }

/// Reports a path that begins with a class.
@_documentation(visibility: internal) @_disfavoredOverload
public func < <Object: TypedObject, Value: AttributeValue & PropertyOfAClass, Other>(
    path: KeyPath<Object, Value>, value: Other
) -> TypedPredicate<Object.Fields> { .none }

/// Reports a path that begins with a class.
@_documentation(visibility: internal) @_disfavoredOverload
public func <= <Object: TypedObject, Value: AttributeValue & PropertyOfAClass, Other>(
    path: KeyPath<Object, Value>, value: Other
) -> TypedPredicate<Object.Fields> { .none }

/// Reports a path that begins with a class.
@_documentation(visibility: internal) @_disfavoredOverload
public func > <Object: TypedObject, Value: AttributeValue & PropertyOfAClass, Other>(
    path: KeyPath<Object, Value>, value: Other
) -> TypedPredicate<Object.Fields> { .none }

/// Reports a path that begins with a class.
@_documentation(visibility: internal) @_disfavoredOverload
public func >= <Object: TypedObject, Value: AttributeValue & PropertyOfAClass, Other>(
    path: KeyPath<Object, Value>, value: Other
) -> TypedPredicate<Object.Fields> { .none }

// MARK: Methods

@_documentation(visibility: internal)
extension KeyPath where Root: TypedObject, Value: PropertyOfAClass {
    /// Reports a path that begins with a class.
    public func isIn(_ values: Any) -> TypedPredicate<Root.Fields> { .none }
    /// Reports a path that begins with a class.
    public func isBetween(_ range: Any) -> TypedPredicate<Root.Fields> { .none }
    /// Reports a path that begins with a class.
    public func isBetween(_ low: Any, _ high: Any) -> TypedPredicate<Root.Fields> { .none }
    /// Reports a path that begins with a class.
    public func equals(_ text: String, _ options: TextOptions) -> TypedPredicate<Root.Fields> { .none }
    /// Reports a path that begins with a class.
    public func contains(_ text: String, _ options: TextOptions = []) -> TypedPredicate<Root.Fields> { .none }
    /// Reports a path that begins with a class.
    public func beginsWith(_ text: String, _ options: TextOptions = []) -> TypedPredicate<Root.Fields> { .none }
    /// Reports a path that begins with a class.
    public func endsWith(_ text: String, _ options: TextOptions = []) -> TypedPredicate<Root.Fields> { .none }
    /// Reports a path that begins with a class.
    public func like(_ text: String, _ options: TextOptions = []) -> TypedPredicate<Root.Fields> { .none }
    /// Reports a path that begins with a class.
    public func matches(_ text: String, _ options: TextOptions = []) -> TypedPredicate<Root.Fields> { .none }
}

@_documentation(visibility: internal)
extension KeyPath where Root: TypedObject, Value: PropertyOfAClass & Sequence, Value.Element: TypedObject {
    /// Reports a path that begins with a class.
    public func any(_ condition: TypedPredicate<Value.Element.Fields>) -> TypedPredicate<Root.Fields> { .none }
    /// Reports a path that begins with a class.
    public func all(_ condition: TypedPredicate<Value.Element.Fields>) -> TypedPredicate<Root.Fields> { .none }
    /// Reports a path that begins with a class.
    public func none(_ condition: TypedPredicate<Value.Element.Fields>) -> TypedPredicate<Root.Fields> { .none }
}

// MARK: Orders

@_documentation(visibility: internal)
extension TypedSortDescriptor {
    /// Reports a path that begins with a class.
    @_disfavoredOverload
    public static func ascending<Object: TypedObject, Value: PropertyOfAClass>(
        _ field: KeyPath<Object, Value>, _ textOrder: FetchSortDescriptor.TextOrder = .exact
    ) -> TypedSortDescriptor where Object.Fields == Root { TypedSortDescriptor(FetchSortDescriptor("")) }
    /// Reports a path that begins with a class.
    @_disfavoredOverload
    public static func descending<Object: TypedObject, Value: PropertyOfAClass>(
        _ field: KeyPath<Object, Value>, _ textOrder: FetchSortDescriptor.TextOrder = .exact
    ) -> TypedSortDescriptor where Object.Fields == Root { TypedSortDescriptor(FetchSortDescriptor("")) }
}
