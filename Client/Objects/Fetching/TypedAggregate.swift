public import Predicates
internal import RoostModel

/// A number that is made of a group of objects, with its type: what ``ObjectContext/fetchGroups(_:by:computing:)`` and
/// ``ObjectContext/fetchAggregates(_:_:)`` compute.
public struct TypedAggregate<Root: EntityFields, Result>: Sendable {
    /// The same aggregate without its type.
    public let aggregate: FetchAggregate
    private let result: @Sendable (Value) -> Result?

    private init(_ aggregate: FetchAggregate, _ result: @escaping @Sendable (Value) -> Result?) {
        self.aggregate = aggregate
        self.result = result
    }

    /// - Throws: ``ObjectError`` with the code `invalidValue` for a value that the type does not hold.
    func result(of value: Value) throws -> Result {
        if let result = result(value) { return result }
        throw ObjectError(
            .invalidValue,
            "Cannot give the \(aggregate.function) of \"\(aggregate.path ?? "")\": it is \(value.formName), and \(Result.self) was asked for. Ask for it by its path, which gives any value, or generate the classes anew from the schema."
        )
    }
}

extension TypedAggregate where Result == Int64 {
    /// How many objects there are.
    public static func count() -> TypedAggregate { TypedAggregate(.count()) { Int64(attribute: $0) } }

    /// How many objects have a value in a field.
    public static func count<Field>(_ field: KeyPath<Root, FieldPath<Field>>) -> TypedAggregate {
        TypedAggregate(.count(field.formatPath())) { Int64(attribute: $0) }
    }

    /// The sum of whole numbers; 0 of nothing. A fetch of one that 64 bits do not hold throws.
    public static func sum(_ field: KeyPath<Root, FieldPath<Int64>>) -> TypedAggregate {
        TypedAggregate(.sum(field.formatPath())) { Int64(attribute: $0) }
    }
}

extension TypedAggregate where Result == Double {
    /// The sum of doubles; 0 of nothing, and no number of both infinities.
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
    /// The average of the values that are not nil; nil of none.
    public static func average<Field: Numeric>(
        _ field: KeyPath<Root, FieldPath<Field>>
    ) -> TypedAggregate where Result == Double? {
        TypedAggregate(.average(field.formatPath())) { $0.nilOr(Double.self) }
    }

    /// The smallest value; nil of none.
    public static func minimum<Field: AttributeValue>(
        _ field: KeyPath<Root, FieldPath<Field>>
    ) -> TypedAggregate where Result == Field? {
        TypedAggregate(.minimum(field.formatPath())) { $0.nilOr(Field.self) }
    }

    /// The greatest value; nil of none.
    public static func maximum<Field: AttributeValue>(
        _ field: KeyPath<Root, FieldPath<Field>>
    ) -> TypedAggregate where Result == Field? {
        TypedAggregate(.maximum(field.formatPath())) { $0.nilOr(Field.self) }
    }
}

extension Value {
    /// The value as a type that may be nil; `nil` for a value of another form.
    func nilOr<Field: AttributeValue>(_ type: Field.Type) -> Field?? {
        self == .null ? .some(nil) : Field(attribute: self).map { .some($0) }
    }
}
