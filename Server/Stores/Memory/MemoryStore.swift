internal import Foundation
package import RoostService
internal import Synchronization

/// A store in memory, for tests, simulations and replay.
package final class MemoryStore: Store {
    private let state = Mutex(MemoryState())
    private let writing = NSLock()

    package init() {}

    /// Returns an independent store with the content of this one: a backup, for simulations.
    package func copy() -> MemoryStore {
        let copy = MemoryStore()
        let held = state.withLock { $0 }
        copy.state.withLock { $0 = held }
        return copy
    }

    package func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
        writing.lock()
        defer { writing.unlock() }
        let transaction = MemoryTransaction(state.withLock { $0 })
        let result = try body(transaction)
        let changed = transaction.state
        state.withLock { $0 = changed }
        return result
    }

    package func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
        try body(MemoryTransaction(state.withLock { $0 }))
    }
}
