internal import Replica

extension ObjectContext {
    /// Writes to a store in one transaction, and records the write for listeners, which tell it from writes of others by that.
    func write<Result>(
        to store: ObjectStore, _ label: String, _ body: (any StoreTransaction) throws -> Result
    ) throws -> Result {
        let hub = coordinator.hub
        let isListenedTo = hub.isListenedTo
        return try store.backend.write(label) { transaction in
            let before = isListenedTo ? try WriteToken(transaction.database) : nil
            let result = try body(transaction)
            if let before {
                hub.note(store.id, before: before, after: try WriteToken(transaction.database))
            }
            return result
        }
    }
}
