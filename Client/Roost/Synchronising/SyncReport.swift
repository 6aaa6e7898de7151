public import RoostModel

/// What a synchronisation did.
public struct SyncReport: Hashable, Sendable {
    /// Changes that the server took in.
    public var pushed = 0
    /// Records that came with something new.
    public var pulled = 0
    /// Local changes that were beaten, and that the server refused; the journal keeps both.
    public var beaten = 0
    public var refused = 0
    /// Records that others' changes hid or brought back.
    public var hidden = 0
    public var shown = 0
    /// Records that the server had lost and has again from here; and those whose changes it did not take back, which the
    /// journal keeps.
    public var broughtBack = 0
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

    public init() {}
}
