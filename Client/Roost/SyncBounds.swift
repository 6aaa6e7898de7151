/// Bounds of what a server can make this device do, for it may be hostile or broken.
///
///     var bounds = SyncBounds()
///     bounds.fileBytesMax = 16 << 30
///     let report = try await replica.synchronise(bounds: bounds)
public struct SyncBounds: Hashable, Sendable {
    /// Bytes that the replica file may have for another page to be applied, 4 GiB; a single pull may bring as much.
    ///
    /// A server accepts 512 MiB of records in a scope, unless its operator says otherwise.
    public var fileBytesMax = 4 << 30

    /// How long ``Replica/synchronise(bounds:observe:)`` may take, one hour; `nil` for as long as it needs.
    ///
    /// The progress so far stays, and the next synchronisation continues there. A ``LiveSession`` has no end.
    public var timeMax: Duration? = .seconds(3600)

    /// Makes the default bounds.
    public init() {}
}
