/// Where an object stands between its context and the store.
enum ObjectState {
    /// In the store, with edits or without.
    case unchanged
    /// New: the store does not have it.
    case inserted
    /// Deleted by its context, and not saved.
    case deleted
    /// No longer there: saved as deleted, never saved, or deleted or hidden elsewhere.
    case gone
}
