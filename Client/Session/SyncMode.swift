/// How long a session goes on.
package enum SyncMode: Hashable, Sendable {
    /// Until the outbox is empty and the replica up to date, or `attemptsMax` attempts in a row have failed.
    case once(attemptsMax: Int)
    /// Until it is stopped: when up to date it holds a long poll of `waitSeconds` open, and local changes wake pushes.
    case continuous(waitSeconds: Int)
}
