internal import CSQLite
internal import GRDB
internal import Synchronization

extension Replica {
    /// Runs `body`, which writes as Roost inside a transaction, with the triggers of other programs, and logs what they did that was
    /// reverted or bypassed. The journal has what was reverted.
    func withUserTriggers<Result>(
        _ database: Database, of known: Layout? = nil, _ body: () throws -> Result
    ) throws -> Result {
        let layout = known ?? layout
        guard layout.hasUserTriggers, !isBypassingTriggers.withLock({ $0 }) else { return try body() }
        try UserTriggers.start(
            on: database, layout, now: now, mayRollBack: !isBypassingRollbacks.withLock { $0 })
        defer { UserTriggers.abandon(on: database) }
        let result = try body()
        for report in try UserTriggers.finish(on: database) {
            try Journal(database: database, now: now).report(trigger: report)
        }
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
                try Journal(database: database, now: now).report(
                    trigger: "A trigger of another program was bypassed, because it rolled back what Roost wrote.")
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
}
