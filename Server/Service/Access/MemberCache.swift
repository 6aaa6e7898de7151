internal import Synchronization

/// A cache of recently used tokens, so that a request need not query the store for its member.
///
/// Every change of a member removes its scope's entries here, after the change is durable. Writing requests look the member
/// up again inside their transaction.
package final class MemberCache: Sendable {
    struct Entry {
        let principal: Principal
        /// The time at which the token expires, in milliseconds since 1970; `nil` for never.
        var until: UInt64?
        /// The hour up to which the token's use is recorded in the store.
        var lastSeen: UInt64
    }

    private static let entriesMax = 8192

    private struct State {
        var entries: [TokenHash: Entry] = [:]
        /// The number of invalidations. A result that was queried before one is not cached.
        var generation = 0
    }

    private let state = Mutex(State())

    init() {}

    func entry(_ hash: TokenHash) -> Entry? {
        state.withLock { $0.entries[hash] }
    }

    var generation: Int { state.withLock { $0.generation } }

    /// Caches a query's result, unless there was an invalidation since `generation`.
    func keep(_ entry: Entry, for hash: TokenHash, since generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            if state.entries.count >= Self.entriesMax { state.entries.removeAll(keepingCapacity: true) }
            state.entries[hash] = entry
        }
    }

    func recordUse(of hash: TokenHash, hour: UInt64) {
        state.withLock { $0.entries[hash]?.lastSeen = hour }
    }

    func forget(_ scope: ScopeKey) {
        state.withLock { state in
            state.generation += 1
            state.entries = state.entries.filter { $0.value.principal.scope != scope }
        }
    }
}
