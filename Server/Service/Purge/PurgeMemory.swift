internal import Synchronization

/// What the last look at each scope gave, so that a scope in which nothing can have changed is not looked through again.
final class PurgeMemory: Sendable {
    struct Look: Hashable {
        var sequence: UInt64
        var passed: UInt64
        /// Milliseconds since 1970 from which on it has to be looked at again; `nil` for never.
        var until: UInt64?
    }

    private let looks = Mutex<[ScopeKey: Look]>([:])

    func isSettled(_ scope: StoredScope, passed: UInt64, now: UInt64) -> Bool {
        guard let look = looks.withLock({ $0[scope.key] }), look.sequence == scope.head.sequence, look.passed == passed
        else { return false }
        return look.until.map { now < $0 } ?? true
    }

    func keep(_ look: Look, for scope: ScopeKey) {
        looks.withLock { $0[scope] = look }
    }
}
