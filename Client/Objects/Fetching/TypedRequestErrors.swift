public import Predicates
public import RoostModel

// Names that no property has, values of another type, and attributes without a comparison: the compiler's errors in requests. No code
// that uses one of them compiles (decision 233).

@_documentation(visibility: internal)
extension UnknownProperty: AttributeValue {
    public init?(attribute value: RoostModel.Value) { nil }

    public var attributeValue: RoostModel.Value { .null }
    public static var blank: UnknownProperty { UnknownProperty(path: "") }
}

@_documentation(visibility: internal)
extension TypedAggregate where Result == Int64 {
    /// Reports the unknown name.
    public static func sum(_ field: KeyPath<Root, UnknownProperty>) -> TypedAggregate { .count() }
}

@_documentation(visibility: internal)
extension TypedAggregate where Result == Double? {
    /// Reports the unknown name.
    public static func average(_ field: KeyPath<Root, UnknownProperty>) -> TypedAggregate {
        TypedAggregate(.average("")) { _ in .some(nil) }
    }
}

@_documentation(visibility: internal)
extension TypedUpdate {
    /// Reports the unknown name.
    @_disfavoredOverload
    public static func set(_ property: KeyPath<Root, UnknownProperty>, to value: Any?) -> TypedUpdate {
        TypedUpdate("", .null)
    }

    /// Reports a value of another type than the property's.
    @_disfavoredOverload
    public static func set<Path: ConditionPath, Other>(_ path: KeyPath<Root, Path>, to value: Other?) -> TypedUpdate
    where Path.Mismatch: MismatchedOperand {
        TypedUpdate("", .null)
    }
}

@_documentation(visibility: internal)
extension FetchRequest where Object: TypedObject {
    /// Reports an attribute that is not compared with anything.
    @_disfavoredOverload
    public init<Path: AttributeAlone>(where attribute: KeyPath<Object.Fields, Path>) { self.init() }
}
