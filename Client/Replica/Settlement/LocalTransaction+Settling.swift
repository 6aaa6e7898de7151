internal import GRDB
internal import RoostModel

extension LocalTransaction {
    /// Derives what follows from the transaction's writes. Roost's triggers do nothing meanwhile.
    ///
    /// - Parameter references: The stored references of some of the written records.
    /// - Returns: Whether rows may have changed.
    @discardableResult
    func settle(knowing references: [RecordKey: [Put.Reference]] = [:]) throws -> Bool {
        let state = StateStore(database: database)
        var isMoving = false
        defer { UserTriggers.abandon(on: database) }
        try Settlement(database: database, layout: layout).settle(before.map(\.key), knowing: references) {
            try state.setApplying(TriggerSQL.engineDepth)
            try UserTriggers.start(on: database, layout, now: now)
            isMoving = true
        }
        guard isMoving else { return false }
        for report in try UserTriggers.finish(on: database) {
            try Journal(database: database, now: now).report(trigger: report)
        }
        mayHideWritten = true
        // The marks are of rows that settling has shown again.
        try Marks(database: database).discard()
        try state.setApplying(0)
        return true
    }
}
