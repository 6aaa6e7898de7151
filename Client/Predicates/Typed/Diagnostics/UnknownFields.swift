/// The fields of the records at the end of an ``UnknownProperty``.
@_documentation(visibility: internal)
public struct UnknownFields: EntityFields {
    public let path: String

    public init(path: String) {
        self.path = path
    }

    /// Accepts any name after an unknown relationship, so that only that one is an error.
    public subscript(dynamicMember name: String) -> UnknownProperty { UnknownProperty(path: path) }
}
