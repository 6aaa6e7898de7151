/// A backup of the server's store, with the state of the oracle and of the checkers when it was taken.
struct ServerBackup {
    var copy: SimulatedServer.Copy
    var ledger: Ledger
    var answered: Checks.Answered
    var schemaVersion: Int
    /// The scope's last sequence.
    var head: UInt64
}
