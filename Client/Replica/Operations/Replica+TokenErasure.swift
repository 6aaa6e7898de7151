internal import GRDB

extension Replica {
    /// Removes what is left of tokens that were in the file, unless another process is about its log: then whoever opens it next does.
    func eraseTokens() {
        guard (try? engineLook("look for tokens") { try StateStore(database: $0).text(.tokenLeft) }) == .some("1")
        else { return }
        SyncLease.whileFree(on: path) { _ = try? TokenErasure.run(engine) }
    }
}
