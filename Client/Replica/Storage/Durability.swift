/// How a local commit is written to the disk.
public enum Durability: String, Hashable, Sendable, CaseIterable {
    /// Synced at every commit: survives a power loss, but for replies and pages that the server gives again. The default.
    case full
    /// Synced at checkpoints: survives the death of the process; a power loss may take the last commits, which the server
    /// then notices by their push number.
    case normal
}
