/// The path of a relationship, whether it leads to one record or to several: what ``FetchRequest/prefetching(_:)`` takes.
public protocol RelationshipPath {
    /// Names with dots between them, such as `person.spendings`.
    var path: String { get }
}

extension ManyFields: RelationshipPath {}
