import RoostService
import Synchronization

/// A store that runs hooks after its next reads.
final class HookedStore: Store {
    private let store: any Store
    private let hooks = Mutex<[@Sendable () -> Void]>([])

    init(_ store: any Store) {
        self.store = store
    }

    /// Runs one hook after each of the next reads, in order.
    func afterReads(_ hooks: [@Sendable () -> Void]) { self.hooks.withLock { $0 = hooks } }

    func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result { try store.write(body) }

    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
        let result = try store.read(body)
        let hook = hooks.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        hook?()
        return result
    }
}
