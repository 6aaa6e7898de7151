/// The fields of the records at the end of an ``UnknownProperty``.
@_documentation(visibility: internal)
public struct UnknownFields: EntityFields {
    public let path: String

    public init(path: String) {
        self.path = path
    }
}
