internal import Replica
internal import Synchronization

/// The source of notifications of writes to the stores of a coordinator, by any author.
final class ChangeHub: Sendable {
    private struct State {
        var listeners: [UInt64: AsyncStream<StoreChange>.Continuation] = [:]
        var watches: [StoreWatch] = []
        /// The cached state of each store, while there are listeners.
        var known: [StoreID: KnownState] = [:]
        /// The time for which applied pages wait for the pages that follow. Pages pulled together form one change, and a long
        /// pull shows progress at this interval.
        var pagesWait = Duration.seconds(1)
        /// The time since which pages of a store wait.
        var waiting: [StoreID: ContinuousClock.Instant] = [:]
        var listenerCount: UInt64 = 0
        var contextCount: UInt64 = 0
        var postCount: UInt64 = 0
        /// The most recent posts.
        var recent: [StoreChange] = []

        /// Returns whether the pages of a store have waited long enough. Starts the wait where there is none.
        mutating func hasWaited(_ store: StoreID) -> Bool {
            let now = ContinuousClock.now
            if let begin = waiting[store] { return now - begin >= pagesWait }
            waiting[store] = now
            return false
        }
    }

    private static let recentMax = 64

    private let state = Mutex(State())

    func nextContext() -> ContextID {
        state.withLock { state in
            state.contextCount += 1
            return ContextID(number: state.contextCount)
        }
    }

    /// The time for which applied pages wait for the pages that follow. Tests set it, because they may not depend on how fast
    /// pages arrive.
    var pagesWait: Duration {
        get { state.withLock { $0.pagesWait } }
        set { state.withLock { $0.pagesWait = newValue } }
    }

    /// Whether applied pages wait for the pages that follow.
    var isWaitingForPages: Bool { state.withLock { !$0.waiting.isEmpty } }

    var isListenedTo: Bool { state.withLock { !$0.listeners.isEmpty } }

    /// Returns a stream of all writes from now on. The stores are watched while there are listeners.
    ///
    /// - Throws: ``ObjectError`` with the code `store` where a store cannot be read.
    func listen(to stores: [ObjectStore]) throws -> AsyncStream<StoreChange> {
        let tokens = try stores.map { ($0.id, try $0.backend.writeToken()) }
        let (stream, continuation) = AsyncStream.makeStream(of: StoreChange.self, bufferingPolicy: .unbounded)
        let number = state.withLock { state in
            state.listenerCount += 1
            state.listeners[state.listenerCount] = continuation
            if state.watches.isEmpty {
                state.known = Dictionary(uniqueKeysWithValues: tokens.map { ($0, KnownState($1)) })
                state.watches = stores.compactMap { store in
                    StoreWatch(store.backend) { [weak self, weak store] in
                        if let store { self?.look(at: store) }
                    }
                }
            }
            return state.listenerCount
        }
        continuation.onTermination = { [weak self] _ in self?.leave(number) }
        return stream
    }

    /// Records a write of a context. The context calls it inside its transaction, at its end, while there are listeners.
    func note(_ store: StoreID, before: WriteToken, after: WriteToken) {
        let authors = state.withLock { $0.known[store]?.note(before: before, after: after) ?? [] }
        for author in authors { post(StoreChange(author: author, extent: .unknown)) }
    }

    func post(_ change: StoreChange) {
        state.withLock { state in
            state.postCount += 1
            var change = change
            change.number = state.postCount
            if change.extent != .records([]) { state.recent = state.recent.suffix(Self.recentMax - 1) + [change] }
            // The changes are sent under the lock, so that every listener receives them in order.
            for listener in state.listeners.values { listener.yield(change) }
        }
    }

    /// Returns the authors of recent writes after a post, and the number of the last post.
    func authors(after number: UInt64) -> (authors: [StoreChange.Author], last: UInt64) {
        state.withLock { state in (state.recent.filter { $0.number > number }.map(\.author), state.postCount) }
    }

    /// Checks for writes of others. A store that cannot be read is checked again at the next notification, after a second at
    /// most.
    private func look(at store: ObjectStore) {
        let count = state.withLock { $0.known[store.id]?.recordCount }
        guard let count, let token = try? store.backend.writeToken() else { return }
        let authors = state.withLock { state -> [StoreChange.Author] in
            let isHalf = token.isBehind && state.known[store.id]?.hasOnlyPulled(token) == true
            guard !isHalf || state.hasWaited(store.id) else { return [] }
            state.waiting[store.id] = nil
            return state.known[store.id]?.take(token, readAt: count) ?? []
        }
        for author in authors { post(StoreChange(author: author, extent: .unknown)) }
    }

    private func leave(_ number: UInt64) {
        // The watches are released outside the lock, where they end.
        let ended = state.withLock { state in
            state.listeners[number] = nil
            guard state.listeners.isEmpty else { return [StoreWatch]() }
            defer { state.watches = [] }
            return state.watches
        }
        withExtendedLifetime(ended) {}
    }
}
