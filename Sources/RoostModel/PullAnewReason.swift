/// The reason of a full resynchronisation.
public enum PullAnewReason: String, Hashable, Sendable, CaseIterable {
    /// The confirmed slots differ from the server's.
    case differs
    /// The confirmed slots are the server's, but contents or slots of the replica are corrupt.
    case damaged
    /// An edit was refused, and only the server has the content that the edit had replaced.
    case refused
    /// The server was restored from a backup, and does not have the history of the checkpoint.
    case historyChanged
    /// The replica was away for longer than the server keeps purged records.
    case expired
}
