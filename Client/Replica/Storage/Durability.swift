/// The way in which a local commit is written to the disk.
public enum Durability: String, Hashable, Sendable, CaseIterable {
    /// Synced at every commit. A commit survives a power loss, except for replies and pages that the server sends again. The
    /// default.
    case full
    /// Synced at checkpoints. A commit survives the death of the process. A power loss may lose the last commits, which the
    /// server then notices by their push number.
    case normal
}
