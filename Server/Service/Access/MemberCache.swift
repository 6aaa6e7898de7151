internal import Synchronization

/// Tokens that were looked up lately, so that a request need not ask the store who it is from.
///
/// Whatever changes a member forgets its scope here, after the change is durable. Writing requests look the member up
/// again inside their transaction.
package final class MemberCache: Sendable {
    struct Entry {
        let principal: Principal
        /// When the token ends by itself, in milliseconds since 1970; `nil` for never.
        var until: UInt64?
        /// The hour up to which its use is noted in the store.
        var lastSeen: UInt64
    }

    private static let entriesMax = 8192

    private struct State {
        var entries: [TokenHash: Entry] = [:]
        /// Counts what was forgotten, so that a look-up that ran meanwhile is not kept.
        var generation = 0
    }

    private let state = Mutex(State())

    init() {}

    func entry(_ hash: TokenHash) -> Entry? {
        state.withLock { $0.entries[hash] }
    }

    var generation: Int { state.withLock { $0.generation } }

    /// Keeps what was looked up, unless something was forgotten since `generation`.
    func keep(_ entry: Entry, for hash: TokenHash, since generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            if state.entries.count >= Self.entriesMax { state.entries.removeAll(keepingCapacity: true) }
            state.entries[hash] = entry
        }
    }

    func noteUse(of hash: TokenHash, hour: UInt64) {
        state.withLock { $0.entries[hash]?.lastSeen = hour }
    }

    func forget(_ scope: ScopeKey) {
        state.withLock { state in
            state.generation += 1
            state.entries = state.entries.filter { $0.value.principal.scope != scope }
        }
    }
}
