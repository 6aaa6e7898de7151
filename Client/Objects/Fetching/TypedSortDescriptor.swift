public import Predicates

/// One level of an order of one entity's objects, made of its fields.
///
/// Only attributes are ordered by, also those at the other end of to-one relationships: `.ascending(\.author.name, .localized)`.
public struct TypedSortDescriptor<Root: EntityFields>: Hashable, Sendable {
    /// The same level without its type.
    public let descriptor: FetchSortDescriptor

    private init<Field>(
        _ field: KeyPath<Root, FieldPath<Field>>, isAscending: Bool, _ textOrder: FetchSortDescriptor.TextOrder
    ) {
        descriptor = FetchSortDescriptor(field.formatPath(), isAscending: isAscending, textOrder: textOrder)
    }

    /// Small values first.
    public static func ascending<Field>(
        _ field: KeyPath<Root, FieldPath<Field>>, _ textOrder: FetchSortDescriptor.TextOrder = .exact
    ) -> TypedSortDescriptor {
        TypedSortDescriptor(field, isAscending: true, textOrder)
    }

    /// Great values first.
    public static func descending<Field>(
        _ field: KeyPath<Root, FieldPath<Field>>, _ textOrder: FetchSortDescriptor.TextOrder = .exact
    ) -> TypedSortDescriptor {
        TypedSortDescriptor(field, isAscending: false, textOrder)
    }
}

extension FetchSortDescriptor {
    /// The same level without its type.
    public init<Root>(_ typed: TypedSortDescriptor<Root>) {
        self = typed.descriptor
    }
}

extension KeyPath where Root: EntityFields, Value: EntityFields {
    /// The path of the to-one relationship as the format language writes it.
    func formatPath() -> String {
        PredicatePath(dotted: Root(path: "")[keyPath: self].path).format
    }
}

extension KeyPath where Root: EntityFields {
    /// The path of the attribute as the format language writes it: a name that is one of its words has a `#`.
    func formatPath<Field>() -> String where Value == FieldPath<Field> {
        PredicatePath(dotted: Root(path: "")[keyPath: self].path).format
    }
}
