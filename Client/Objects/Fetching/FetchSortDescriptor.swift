/// One level of an order: a property, and which way.
public struct FetchSortDescriptor: Hashable, Sendable {
    /// How texts are ordered.
    public enum TextOrder: Hashable, Sendable {
        /// By their bytes.
        case exact
        /// As a dictionary has them, the same on every device: É beside E, capitals beside small letters.
        case localized
    }

    /// A property, or a path through to-one relationships, such as `person.name`.
    public var path: String
    /// Whether small values come first. A nil comes before all values, and last where they descend.
    public var isAscending: Bool
    /// Of no account for what is no text.
    public var textOrder: TextOrder

    /// Makes one level of an order.
    ///
    /// - Parameters:
    ///   - path: A property, or a path through to-one relationships. That it is there is found out with the fetch.
    ///   - isAscending: Whether small values come first.
    ///   - textOrder: How texts are ordered; by their bytes unless set.
    public init(_ path: String, isAscending: Bool = true, textOrder: TextOrder = .exact) {
        self.path = path
        self.isAscending = isAscending
        self.textOrder = textOrder
    }

    /// Small values first.
    public static func ascending(_ path: String, _ textOrder: TextOrder = .exact) -> FetchSortDescriptor {
        FetchSortDescriptor(path, textOrder: textOrder)
    }

    /// Great values first.
    public static func descending(_ path: String, _ textOrder: TextOrder = .exact) -> FetchSortDescriptor {
        FetchSortDescriptor(path, isAscending: false, textOrder: textOrder)
    }
}
