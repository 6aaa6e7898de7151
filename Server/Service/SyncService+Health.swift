internal import Synchronization

extension SyncService {
    /// Milliseconds for which what was found of the store counts: anybody may ask.
    private static let healthMilliseconds: UInt64 = 10_000

    /// The fault that keeps the server from storing, for its operator; `nil` where it can store.
    ///
    /// It writes its clock down to find out, every 10 seconds at most.
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
            try await noteClock()
        } catch {
            // A queue that is full or stops is no fault of the store.
            fault = error as? StoreError
        }
        time.withLock { [fault] in $0.fault = fault }
        return fault
    }

    /// Takes note of what a check of the stored data has found; `nil` for nothing.
    package func noteDamage(_ damage: StoreError?) { time.withLock { $0.damage = damage } }
}
