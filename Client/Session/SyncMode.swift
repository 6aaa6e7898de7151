/// The end of a session.
package enum SyncMode: Hashable, Sendable {
    /// Ends when the outbox is empty and the replica up to date, or when `attemptsMax` attempts in a row have failed.
    case once(attemptsMax: Int)
    /// Runs until it is stopped. When up to date, it holds a long poll of `waitSeconds` open, and local changes wake pushes.
    case continuous(waitSeconds: Int)
}
