public import Predicates
internal import RoostModel

/// A value computed from a group of objects, with its type. ``ObjectContext/fetchGroups(_:by:computing:)`` and
/// ``ObjectContext/fetchAggregates(_:_:)`` compute it.
public struct TypedAggregate<Root: EntityFields, Result>: Sendable {
    /// The untyped form of the aggregate.
    public let aggregate: FetchAggregate
    private let result: @Sendable (Value) -> Result?

    init(_ aggregate: FetchAggregate, _ result: @escaping @Sendable (Value) -> Result?) {
        self.aggregate = aggregate
        self.result = result
    }

    /// Converts a computed value to the type of the aggregate.
    ///
    /// - Throws: ``ObjectError`` with the code `invalidValue` for a value that the type cannot hold.
    func result(of value: Value) throws -> Result {
        if let result = result(value) { return result }
        throw ObjectError(
            .invalidValue,
            "Cannot give the \(aggregate.function) of \"\(aggregate.path ?? "")\": it is \(value.formName), and \(Result.self) was asked for. Ask for it by its path, which gives any value, or generate the classes anew from the schema."
        )
    }
}

extension TypedAggregate where Result == Int64 {
    /// Counts the objects.
    public static func count() -> TypedAggregate { TypedAggregate(.count()) { Int64(attribute: $0) } }

    /// Counts the objects that have a value in a field.
    public static func count(_ field: KeyPath<Root, some AttributePath>) -> TypedAggregate {
        TypedAggregate(.count(field.formatPath())) { Int64(attribute: $0) }
    }

    /// Adds up whole numbers; 0 without values. A fetch of a sum beyond 64 bits throws.
    public static func sum(_ field: KeyPath<Root, FieldPath<Int64>>) -> TypedAggregate {
        TypedAggregate(.sum(field.formatPath())) { Int64(attribute: $0) }
    }
}

extension TypedAggregate where Result == Double {
    /// Adds up doubles; 0 without values, and NaN where the values include both infinities.
    public static func sum(_ field: KeyPath<Root, FieldPath<Double>>) -> TypedAggregate {
        TypedAggregate(.sum(field.formatPath())) { value in
            switch value {
            case .integer(let number): Double(number)
            case .null: .nan
            default: Double(attribute: value)
            }
        }
    }
}

extension TypedAggregate {
    /// Averages the values that are not nil; nil without values.
    public static func average<Field: Numeric>(
        _ field: KeyPath<Root, FieldPath<Field>>
    ) -> TypedAggregate where Result == Double? {
        TypedAggregate(.average(field.formatPath())) { $0.nilOr(Double.self) }
    }

    /// Selects the smallest value; nil without values.
    public static func minimum<Path: AttributePath>(
        _ field: KeyPath<Root, Path>
    ) -> TypedAggregate where Result == Path.Value?, Path.Value: AttributeValue {
        TypedAggregate(.minimum(field.formatPath())) { $0.nilOr(Path.Value.self) }
    }

    /// Selects the greatest value; nil without values.
    public static func maximum<Path: AttributePath>(
        _ field: KeyPath<Root, Path>
    ) -> TypedAggregate where Result == Path.Value?, Path.Value: AttributeValue {
        TypedAggregate(.maximum(field.formatPath())) { $0.nilOr(Path.Value.self) }
    }
}

extension Value {
    /// Converts the value to a type that may be nil; `nil` for a value of another form.
    func nilOr<Field: AttributeValue>(_ type: Field.Type) -> Field?? {
        self == .null ? .some(nil) : Field(attribute: self).map { .some($0) }
    }
}
