internal import GRDB
internal import RoostModel
internal import Synchronization

extension Replica {
    /// Reports transactions in the WAL that SQLite ignores, before the next write overwrites them. Also picks up the notice
    /// of a process that found such transactions and had no user to report them to.
    func recordLostLog() throws {
        let (isLost, untold) = try engineLook("look at the log") { database in
            let state = StateStore(database: database)
            return (try LogTail.find(database)?.isNews(state) ?? false, try state.text(.untold))
        }
        if let untold { tell(untold) }
        guard isLost else { return }
        do {
            // Only a writer excludes concurrent writes at the end of the WAL.
            let notice = try unsettledWrite("write down what the log has lost", isWork: false) { database -> String? in
                guard let tail = try LogTail.find(database) else { return nil }
                return try tail.recordLost(in: database, at: now)
            }
            if let notice { tell(notice) }
        } catch {
            // The WAL still holds the transactions. The next program to open the file reports them.
        }
    }

    /// Deletes the stored notice, which has been reported.
    func forgetUntold() throws {
        try unsettledWrite("note what was told", isWork: false) { try StateStore(database: $0).set(.untold, .null) }
    }

    private func tell(_ notice: String) {
        foundDamage.withLock { found in
            var damage = found ?? OutboxDamage()
            damage.notices.append(notice)
            damage.isStored = true
            found = damage
        }
    }
}
