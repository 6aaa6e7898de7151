internal import GRDB

extension LocalTransaction {
    /// Derives what follows from what was written, with the triggers standing still for it.
    func settle() throws {
        let state = StateStore(database: database)
        var isMoving = false
        try Settlement(database: database, layout: layout).settle(before.map(\.key)) {
            try state.setApplying(TriggerSQL.engineDepth)
            isMoving = true
        }
        guard isMoving else { return }
        // Rows that were shown again by it.
        try Marks(database: database).discard()
        try state.setApplying(0)
    }
}
