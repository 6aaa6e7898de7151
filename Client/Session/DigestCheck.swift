/// What came of comparing the replica with the server's digest after a page.
package enum DigestCheck: Hashable, Sendable {
    /// The page brought no digest, or local changes made a comparison meaningless.
    case notCompared
    case matches
    case differs
    /// The digests match, and what this replica holds is damaged all the same.
    case damaged
    /// The server was restored and has lost records that this replica holds: they are to be brought back first.
    case serverLost
}
