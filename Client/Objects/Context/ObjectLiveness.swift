/// What a record is, and why: what the delete rules make of it.
public enum ObjectLiveness: Hashable, Sendable {
    case visible
    /// It is deleted, and visible because these refer to it with a deny rule.
    case kept(by: [ObjectID])
    /// It is not deleted itself, but hangs off this one, which is deleted or not here.
    case hidden(because: ObjectID)
    case deleted
    /// The store knows nothing of it.
    case absent
}
