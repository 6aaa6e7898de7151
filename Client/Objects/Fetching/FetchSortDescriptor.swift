/// One level of an order: a property and a direction.
public struct FetchSortDescriptor: Hashable, Sendable {
    /// The comparison of texts.
    public enum TextOrder: Hashable, Sendable {
        /// The order of the texts' bytes.
        case exact
        /// The order of a dictionary, equal on every device: É is next to E, capitals are next to small letters.
        case localized
    }

    /// A property, or a path through to-one relationships, such as `person.name`.
    public var path: String
    /// Whether small values come first. A nil comes before all values in ascending order, and after all values in descending
    /// order.
    public var isAscending: Bool
    /// The comparison of texts. Ignored for values that are not text.
    public var textOrder: TextOrder

    /// Makes one level of an order.
    ///
    /// - Parameters:
    ///   - path: A property, or a path through to-one relationships. The fetch checks that it exists.
    ///   - isAscending: Whether small values come first.
    ///   - textOrder: The comparison of texts; by their bytes unless set.
    public init(_ path: String, isAscending: Bool = true, textOrder: TextOrder = .exact) {
        self.path = path
        self.isAscending = isAscending
        self.textOrder = textOrder
    }

    /// Makes a level with small values first.
    public static func ascending(_ path: String, _ textOrder: TextOrder = .exact) -> FetchSortDescriptor {
        FetchSortDescriptor(path, textOrder: textOrder)
    }

    /// Makes a level with great values first.
    public static func descending(_ path: String, _ textOrder: TextOrder = .exact) -> FetchSortDescriptor {
        FetchSortDescriptor(path, isAscending: false, textOrder: textOrder)
    }
}
