import RoostService
import Synchronization

/// A store that counts its transactions.
final class CountingStore: Store {
    private let store: any Store
    private let count = Atomic(0)

    init(_ store: any Store) {
        self.store = store
    }

    var writes: Int { count.load(ordering: .relaxed) }

    func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
        count.wrappingAdd(1, ordering: .relaxed)
        return try store.write(body)
    }

    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result { try store.read(body) }
}
