internal import Synchronization

/// A cache of the last check of each scope, so that a scope in which nothing can have changed is not read again.
final class PurgeMemory: Sendable {
    struct Look: Hashable {
        var sequence: UInt64
        var passed: UInt64
        /// The time from which the scope has to be checked again, in milliseconds since 1970; `nil` for never.
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
