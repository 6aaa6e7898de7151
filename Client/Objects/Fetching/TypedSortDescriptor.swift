public import Predicates

/// One level of an order of one entity's objects, made of its fields.
///
/// An order consists of attributes only, also those at the other end of to-one relationships:
/// `.ascending(\.author.name, .localized)`.
public struct TypedSortDescriptor<Root: EntityFields>: Hashable, Sendable {
    /// The untyped form of the level.
    public let descriptor: FetchSortDescriptor

    /// Makes a level of an order of an entity's objects from an untyped one. The fetch checks its path.
    public init(_ descriptor: FetchSortDescriptor) {
        self.descriptor = descriptor
    }

    private init(
        _ field: KeyPath<Root, some AttributePath>, isAscending: Bool, _ textOrder: FetchSortDescriptor.TextOrder
    ) {
        descriptor = FetchSortDescriptor(field.formatPath(), isAscending: isAscending, textOrder: textOrder)
    }

    /// Makes a level with small values first.
    public static func ascending(
        _ field: KeyPath<Root, some AttributePath>, _ textOrder: FetchSortDescriptor.TextOrder = .exact
    ) -> TypedSortDescriptor {
        TypedSortDescriptor(field, isAscending: true, textOrder)
    }

    /// Makes a level with great values first.
    public static func descending(
        _ field: KeyPath<Root, some AttributePath>, _ textOrder: FetchSortDescriptor.TextOrder = .exact
    ) -> TypedSortDescriptor {
        TypedSortDescriptor(field, isAscending: false, textOrder)
    }
}

extension FetchSortDescriptor {
    /// Makes the untyped form of a level.
    public init<Root>(_ typed: TypedSortDescriptor<Root>) {
        self = typed.descriptor
    }
}

extension KeyPath where Root: EntityFields, Value: EntityFields {
    /// Returns the path of the to-one relationship in the format language.
    func formatPath() -> String {
        PredicatePath(dotted: Root(path: "")[keyPath: self].path).format
    }
}

extension KeyPath where Root: EntityFields, Value: AttributePath {
    /// Returns the path of the attribute in the format language. A name that is a word of the language is marked with `#`.
    func formatPath() -> String {
        PredicatePath(dotted: Root(path: "")[keyPath: self].path).format
    }
}
