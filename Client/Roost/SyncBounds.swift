/// Bounds of the work that a server can cause on this device. A server may be hostile or broken.
///
///     var bounds = SyncBounds()
///     bounds.fileBytesMax = 16 << 30
///     let report = try await replica.synchronise(bounds: bounds)
public struct SyncBounds: Hashable, Sendable {
    /// Maximum size of the replica file, and of the records of one pull, in bytes; 4 GiB by default.
    ///
    /// A server accepts 512 MiB of records in a scope, unless its operator configures another limit.
    public var fileBytesMax = 4 << 30

    /// Maximum duration of ``Replica/synchronise(bounds:observe:)``, one hour by default; `nil` for none.
    ///
    /// The progress so far stays, and the next synchronisation continues there. A ``LiveSession`` has no end.
    public var timeMax: Duration? = .seconds(3600)

    /// Makes the default bounds.
    public init() {}
}
