public import RoostModel

/// The report of a synchronisation.
///
///     let report = try await replica.synchronise()
///     print(report.pushed, report.pulled, report.state)
public struct SyncReport: Hashable, Sendable {
    /// Number of changes that the server accepted.
    public var pushed = 0
    /// Number of records that a pull has changed.
    public var pulled = 0
    /// Number of local changes that later changes with another content beat. The journal keeps them.
    public var beaten = 0
    /// Number of local changes that were refused by the server, or that no server accepts. The journal keeps them, with the reason.
    public var refused = 0
    /// Number of records that changes of other devices hid.
    public var hidden = 0
    /// Number of records that changes of other devices made visible again.
    public var shown = 0
    /// Number of records that the server had lost and has stored again from this replica.
    public var broughtBack = 0
    /// Number of records that the server had lost and did not accept. The journal keeps them.
    public var lost = 0
    /// Number of records that the server has purged.
    public var forgotten = 0
    /// Number of records whose corrupt content was replaced.
    public var corrected = 0
    /// Further events, in plain words.
    public var notices: [String] = []
    /// The digest of the replica at the end.
    public var digest: ScopeDigest?
    /// Whether everything is pushed and pulled.
    public var isUpToDate = false
    /// "up to date", or the reason why not.
    public var state = ""
    /// Whether a later retry may succeed without user action.
    public var isTemporary = false

    /// Whether the session ended on request.
    public var isRequested = false

    /// Makes the report of a synchronisation that has done nothing yet.
    public init() {}

    /// Returns the sum of this report and an earlier one.
    func after(_ earlier: SyncReport) -> SyncReport {
        var sum = self
        let counts: [WritableKeyPath<SyncReport, Int>] = [
            \.pushed, \.pulled, \.beaten, \.refused, \.hidden, \.shown, \.broughtBack, \.lost, \.forgotten, \.corrected,
        ]
        for count in counts { sum[keyPath: count] += earlier[keyPath: count] }
        sum.notices = earlier.notices + notices
        return sum
    }
}
