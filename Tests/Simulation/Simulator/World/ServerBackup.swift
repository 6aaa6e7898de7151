/// A copy of the server's store, and what the oracle and the checkers knew of the server when it was taken.
struct ServerBackup {
    var copy: SimulatedServer.Copy
    var ledger: Ledger
    var answered: Checks.Answered
    var schemaVersion: Int
    /// The scope's last sequence.
    var head: UInt64
}
