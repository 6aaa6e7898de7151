internal import GRDB

extension Replica {
    /// Erases remnants of tokens that were stored in the file, unless another process synchronises the replica or
    /// checkpoints its WAL. In that case the next program to open the file erases them.
    func eraseTokens() {
        guard (try? engineLook("look for tokens") { try StateStore(database: $0).text(.tokenLeft) }) == .some("1")
        else { return }
        SyncLease.whileFree(on: path) { _ = try? TokenErasure.run(engine) }
    }
}
