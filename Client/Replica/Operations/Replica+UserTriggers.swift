internal import CSQLite
internal import GRDB
internal import Synchronization

extension Replica {
    /// Runs `body`, which writes as Roost inside a transaction, with user triggers enabled. The log reports triggers that
    /// were bypassed and trigger writes that were reverted; the journal keeps the reverted content.
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

    /// Runs a transaction. If a user trigger has rolled it back, runs it again without the triggers that may roll back, and
    /// if that fails in the same way, without any user triggers.
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
