/// The state of a record and its reason, as derived by the delete rules.
public enum ObjectLiveness: Hashable, Sendable {
    /// The record is visible: neither it nor a cascade parent is deleted.
    case visible
    /// The record is deleted, but visible because the given objects refer to it with a deny rule.
    case kept(by: [ObjectID])
    /// The record is not deleted itself, but is a cascade child of the given object, which is deleted or absent.
    case hidden(because: ObjectID)
    /// The record is deleted, and not visible. It comes back with an undelete, an undo or a later edit, until it is purged.
    case deleted
    /// The store has no information on the record.
    case absent
}
