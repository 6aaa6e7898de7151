/// The path of a to-many relationship, with the fields of its elements.
public struct ManyFields<Element: EntityFields>: Hashable, Sendable {
    /// Names with dots between them, such as `person.spendings`.
    public let path: String

    /// Makes the path of a to-many relationship. ``EntityFields/toMany(_:)`` does so for the fields of an entity.
    public init(path: String) {
        self.path = path
    }
}
