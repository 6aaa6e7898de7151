/// The location of a record in a store.
package enum RecordLocation: Hashable, Sendable {
    case visible
    /// Not shown because of another record.
    case hidden
    /// Deleted by a delete of its own, with its content kept.
    case deleted
    case nowhere
}
