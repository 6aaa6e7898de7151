/// The path of a to-many relationship, with the fields of its elements.
@dynamicMemberLookup
public struct ManyFields<Element: EntityFields>: Hashable, Sendable {
    /// Names with dots between them, such as `person.spendings`.
    public let path: String

    /// Makes the path of a to-many relationship. ``EntityFields/toMany(_:)`` does so for the fields of an entity.
    public init(path: String) {
        self.path = path
    }

    /// Reports a name after that of a to-many relationship. Its argument makes it an error to use it.
    @_documentation(visibility: internal)
    public subscript(dynamicMember name: NameAfterElements) -> UnknownProperty { UnknownProperty(path: path) }
}

extension ManyFields: ElementsPath {}
