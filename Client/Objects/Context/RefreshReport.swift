/// What a refresh found.
public struct RefreshReport: Hashable, Sendable {
    /// Objects that hold other values now.
    public internal(set) var changed: Set<ObjectID> = []
    /// Objects that are no longer there: deleted or hidden elsewhere. Those with unsaved edits keep them until the next save.
    public internal(set) var gone: Set<ObjectID> = []

    /// Whether everything was as before.
    public var isEmpty: Bool { changed.isEmpty && gone.isEmpty }
}
