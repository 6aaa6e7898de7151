/// The state of an object between its context and the store.
enum ObjectState {
    /// The object is in the store, with or without edits.
    case unchanged
    /// The object is new, and not in the store.
    case inserted
    /// The object was deleted by its context, and the delete is not saved.
    case deleted
    /// The object no longer exists: its delete was saved, it was never saved, or it was deleted or hidden elsewhere.
    case gone
}
