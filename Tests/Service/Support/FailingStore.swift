import MemoryStore
import RoostService
import Synchronization

/// A store whose disk can be made to fail.
final class FailingStore: Store {
    private let store = MemoryStore()
    private let failure = Mutex<StoreError?>(nil)
    private let commits = Mutex(0)

    /// Makes later writes throw `error` after they have run; `nil` repairs the disk.
    func fail(with error: StoreError?) { failure.withLock { $0 = error } }

    var commitCount: Int { commits.withLock { $0 } }

    func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
        let error = failure.withLock { $0 }
        return try store.write { transaction in
            let result = try body(transaction)
            if let error { throw error }
            commits.withLock { $0 += 1 }
            return result
        }
    }

    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result { try store.read(body) }
}
