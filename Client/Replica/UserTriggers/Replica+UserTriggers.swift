internal import CSQLite
internal import GRDB
internal import Synchronization

extension Replica {
    /// Runs `body`, which writes as Roost inside a transaction, with the triggers of other programs, and logs what they did that was
    /// reverted or bypassed.
    func withUserTriggers<Result>(
        _ database: Database, of known: Layout? = nil, _ body: () throws -> Result
    ) throws -> Result {
        let layout = known ?? layout
        guard layout.hasUserTriggers, !isBypassingTriggers.withLock({ $0 }) else { return try body() }
        try UserTriggers.start(on: database, layout, mayRollBack: !isBypassingRollbacks.withLock { $0 })
        defer { UserTriggers.abandon(on: database) }
        let result = try body()
        for report in try UserTriggers.finish(on: database) { try log(trigger: report, in: database) }
        return result
    }

    /// Runs a transaction; where a trigger of another program has rolled it back, once more without those that may, and where that
    /// fails in the same way, without any.
    func bypassingTriggersThatRollBack<Result>(_ database: Database, _ transaction: () throws -> Result) throws
        -> Result
    {
        do {
            return try transaction()
        } catch is UserTriggers.TransactionEnded {
            let result = try withoutRollbacks(database, transaction)
            try database.inOneTransaction(.immediate) { database in
                try log(
                    trigger: "A trigger of another program was bypassed, because it rolled back what Roost wrote.",
                    in: database)
            }
            return result
        }
    }

    private func withoutRollbacks<Result>(_ database: Database, _ transaction: () throws -> Result) throws -> Result {
        isBypassingRollbacks.withLock { $0 = true }
        defer { isBypassingRollbacks.withLock { $0 = false } }
        do {
            return try transaction()
        } catch is UserTriggers.TransactionEnded {
            if let handle = database.sqliteConnection { _ = csqlite_enable_triggers(handle, 0) }
            isBypassingTriggers.withLock { $0 = true }
            defer { isBypassingTriggers.withLock { $0 = false } }
            return try transaction()
        }
    }

    /// Logs a sentence about triggers, unless it is among the last that the log says of them: it would be said with each page.
    private func log(trigger sentence: String, in database: Database) throws {
        let query = try database.query(
            "SELECT text FROM roost_event WHERE kind = 'trigger' ORDER BY ordinal DESC LIMIT 20")
        guard try !query.all({ $0.text(0) }).contains(sentence) else { return }
        try Journal(database: database, now: now).event("trigger", sentence)
    }
}
