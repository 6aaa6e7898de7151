/// The path of a to-one or to-many relationship, the argument of ``FetchRequest/prefetching(_:)``.
public protocol RelationshipPath {
    /// Names with dots between them, such as `person.spendings`.
    var path: String { get }
}
