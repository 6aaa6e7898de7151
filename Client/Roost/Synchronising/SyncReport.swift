public import RoostModel

/// What a synchronisation did.
public struct SyncReport: Hashable, Sendable {
    /// Changes that the server took in.
    public var pushed = 0
    /// Records that came with something new.
    public var pulled = 0
    /// Local changes that were beaten; the journal keeps them.
    public var beaten = 0
    /// Local changes that were refused, by the server or because no server takes them; the journal keeps them, with the reason.
    public var refused = 0
    /// Records that others' changes hid.
    public var hidden = 0
    /// Records that others' changes brought back.
    public var shown = 0
    /// Records that the server had lost and has again from here.
    public var broughtBack = 0
    /// Records that the server had lost and did not take back; the journal keeps them.
    public var lost = 0
    /// Records that the server has purged.
    public var forgotten = 0
    /// Records whose content was damaged here and was written anew.
    public var corrected = 0
    /// What happened beside that, in plain words.
    public var notices: [String] = []
    /// The digest of the replica after it.
    public var digest: ScopeDigest?
    /// Whether everything is pushed and pulled.
    public var isUpToDate = false
    /// "up to date", or why not.
    public var state = ""
    /// Whether it is worth trying again later without a person's help.
    public var isTemporary = false

    /// Whether it ended because it was told to.
    public var isRequested = false

    /// Makes the report of a synchronisation that has done nothing yet.
    public init() {}

    /// This and what was done before it.
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
