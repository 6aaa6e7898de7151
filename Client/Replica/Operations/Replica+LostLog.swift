internal import GRDB
internal import RoostModel
internal import Synchronization

extension Replica {
    /// Says so where the log holds transactions that SQLite does not take, before the next write goes over them, and takes up
    /// what was found by a process that could not tell anybody.
    func noteLostLog() throws {
        let (isLost, untold) = try engineLook("look at the log") { database in
            let state = StateStore(database: database)
            return (try LogTail.find(database)?.isNews(state) ?? false, try state.text(.untold))
        }
        if let untold { tell(untold) }
        guard isLost else { return }
        do {
            // Who may write is alone with the log's end.
            let notice = try unsettledWrite("write down what the log has lost", isWork: false) { database -> String? in
                guard let tail = try LogTail.find(database) else { return nil }
                return try tail.noteLost(in: database, at: now)
            }
            if let notice { tell(notice) }
        } catch {
            // The log still holds it: who opens the file next says it.
        }
    }

    /// Forgets what has been told now.
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
