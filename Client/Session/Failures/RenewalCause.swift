/// The reason for a new identity of the replica.
package enum RenewalCause: String, Hashable, Sendable, CaseIterable {
    /// The replica's file is not the file that was synchronised last.
    case copied
    /// The server has another history of the replica's pushes: the file was restored, or another file has the same identity.
    case forked
    /// The server lacks pushes of the replica: the server was restored from a backup.
    case serverRolledBack
    /// The server holds parts of a transaction whose rest has changed: the next push would complete them.
    case partsLeft
    /// The server knows only an earlier token of the replica: the server was restored from a backup.
    case forgotten
}
