internal import GRDB
internal import RoostModel
internal import Synchronization

extension Replica {
    /// Says so where the log holds transactions that SQLite does not take, before the next write goes over them, and takes up
    /// what was found by a process that could not tell anybody.
    func noteLostLog() throws {
        let (isLost, untold) = try engineLook("look at the log") { database in
            let state = StateStore(database: database)
            return (try LogTail.find(database).map { try Self.isNews($0, state) } ?? false, try state.text(.untold))
        }
        if let untold { tell(untold) }
        guard isLost else { return }
        do {
            // Who may write is alone with the log's end.
            let notice = try unsettledWrite("write down what the log has lost", isWork: false) { database -> String? in
                guard let tail = try LogTail.find(database) else { return nil }
                return try Self.note(lost: tail, in: database, at: now)
            }
            if let notice { tell(notice) }
        } catch {
            // The log still holds it: who opens the file next says it.
        }
    }

    /// Writes down that the log holds what SQLite does not take, unless that was done.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: What is to be told.
    @discardableResult
    static func note(lost tail: LogTail, in database: Database, at now: Int64) throws -> String? {
        let state = StateStore(database: database)
        guard try isNews(tail, state) else { return nil }
        let notice = notice(of: tail)
        try Journal(database: database, now: now).event("damage", notice)
        try state.set(.lostLog, .bytes(tail.name))
        try state.set(.untold, [try state.text(.untold), notice].compactMap { $0 }.joined(separator: "\n"))
        return notice
    }

    /// Forgets what has been told now.
    func forgetUntold() throws {
        try unsettledWrite("note what was told", isWork: false) { try StateStore(database: $0).set(.untold, .null) }
    }

    private static func isNews(_ tail: LogTail, _ state: StateStore) throws -> Bool {
        try state.bytes(.lostLog) != tail.name
    }

    private func tell(_ notice: String) {
        foundDamage.withLock { found in
            var damage = found ?? OutboxDamage()
            damage.notices.append(notice)
            damage.isStored = true
            found = damage
        }
    }

    private static func notice(of tail: LogTail) -> String {
        "The end of the file's log cannot be read: at least \(tail.transactions) transactions are lost here. The file was damaged, or the "
            + "power failed, or a program was ended while it saved. Changes made here that were not sent may be among them; what the "
            + "server has comes back."
    }
}
