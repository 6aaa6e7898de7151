/// The path of a to-many relationship, with the fields of its elements.
public struct ManyFields<Element: EntityFields>: Hashable, Sendable {
    /// Names with dots between them, such as `person.spendings`.
    public let path: String

    public init(path: String) {
        self.path = path
    }
}
