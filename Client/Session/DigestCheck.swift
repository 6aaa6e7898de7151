/// The result of comparing the replica with the server's digest after a page.
package enum DigestCheck: Hashable, Sendable {
    /// The page brought no digest, or local changes made a comparison meaningless.
    case notCompared
    case matches
    case differs
    /// The digests match, but the replica's rows are corrupt.
    case damaged
    /// The server was restored from a backup and lacks records of this replica, which are sent back first.
    case serverLost
}
