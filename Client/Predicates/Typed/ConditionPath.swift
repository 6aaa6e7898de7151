/// The end of a key path in a typed condition: an attribute, or the record at the end of to-one relationships.
public protocol ConditionPath {
    /// The type of the values that the end is compared with.
    associatedtype Operand
    /// The type that has the compiler's message for a value of another type.
    associatedtype Mismatch

    /// Names with dots between them, such as `person.name`; empty for the tested record itself.
    var path: String { get }

    /// Converts an operand to the form that a predicate stores.
    static func predicateValue(of operand: Operand) -> PredicateValue
}

/// The end of a key path that has values with an order: an attribute.
public protocol AttributePath: ConditionPath {
    /// The type of the attribute's values.
    associatedtype Value: PredicateArgument
}

/// The end of a key path that is text.
public protocol TextPath: AttributePath {}

/// The end of a key path that has several records: a to-many or many-to-many relationship.
public protocol ElementsPath: RelationshipPath {
    /// The fields of one of the records.
    associatedtype Element: EntityFields
}
