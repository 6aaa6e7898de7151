/// Why a replica pulls everything anew.
public enum PullAnewReason: String, Hashable, Sendable, CaseIterable {
    /// Its confirmed slots are not the server's.
    case differs
    /// Its confirmed slots are the server's, and contents or slots of it are damaged.
    case damaged
    /// The server was restored from an older copy, so that the checkpoint means nothing to it.
    case historyChanged
    /// The replica was away for longer than the server keeps what it purges.
    case expired
}
