/// The outcome of a refresh.
public struct RefreshReport: Hashable, Sendable {
    /// Objects whose values changed.
    public internal(set) var changed: Set<ObjectID> = []
    /// Objects that no longer exist, because they were deleted or hidden elsewhere. An object with unsaved edits keeps them until
    /// the next save.
    public internal(set) var gone: Set<ObjectID> = []

    /// Whether the refresh changed nothing.
    public var isEmpty: Bool { changed.isEmpty && gone.isEmpty }
}
