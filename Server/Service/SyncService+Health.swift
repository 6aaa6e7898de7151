internal import Synchronization

extension SyncService {
    /// The milliseconds for which a result about the store is reused, because unauthenticated callers may ask.
    private static let healthMilliseconds: UInt64 = 10_000

    /// Returns the fault that prevents the server from storing, for its operator; `nil` if it can store.
    ///
    /// To find out, it stores its clock, at most every 10 seconds.
    package func storageFault() async -> StoreError? {
        let now = now
        let found: (isFresh: Bool, fault: StoreError?) = time.withLock { time in
            if let damage = time.damage { return (true, damage) }
            let isFresh = time.triedAt.map { $0 <= now && now - $0 < Self.healthMilliseconds } ?? false
            if !isFresh { time.triedAt = now }
            return (isFresh, time.fault)
        }
        guard !found.isFresh else { return found.fault }
        var fault: StoreError?
        do {
            try await recordClock()
        } catch {
            // A full or stopping queue is not a fault of the store.
            fault = error as? StoreError
        }
        time.withLock { [fault] in $0.fault = fault }
        return fault
    }

    /// Records the result of a check of the stored data; `nil` for no corruption.
    package func recordDamage(_ damage: StoreError?) { time.withLock { $0.damage = damage } }
}
