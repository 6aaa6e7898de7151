/// What a record is, and why: what the delete rules make of it.
public enum ObjectLiveness: Hashable, Sendable {
    /// It is there: not deleted, and nothing that it hangs off is.
    case visible
    /// It is deleted, and visible because these refer to it with a deny rule.
    case kept(by: [ObjectID])
    /// It is not deleted itself, but hangs off this one, which is deleted or not here.
    case hidden(because: ObjectID)
    /// It is deleted, and not visible. It comes back with an undelete, an undo or a later edit, until it is purged.
    case deleted
    /// The store knows nothing of it.
    case absent
}
