internal import Replica
internal import Synchronization

/// Tells everybody who listens of what is written to the stores of a coordinator, by whomever.
final class ChangeHub: Sendable {
    private struct State {
        var listeners: [UInt64: AsyncStream<StoreChange>.Continuation] = [:]
        var watches: [StoreWatch] = []
        /// What is known of each store, while somebody listens.
        var known: [StoreID: KnownState] = [:]
        /// How long pages wait for those that follow: what is pulled together is one change, and a long pull shows that it goes on.
        var pagesWait = Duration.seconds(1)
        /// Since when pages of a store wait.
        var waiting: [StoreID: ContinuousClock.Instant] = [:]
        var listenerCount: UInt64 = 0
        var contextCount: UInt64 = 0
        var postCount: UInt64 = 0
        /// The last posts.
        var recent: [StoreChange] = []

        /// Begins to wait where nobody waits yet.
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

    /// For tests, which may not depend on how fast pages come.
    var pagesWait: Duration {
        get { state.withLock { $0.pagesWait } }
        set { state.withLock { $0.pagesWait = newValue } }
    }

    /// Whether pages wait for those that follow.
    var isWaitingForPages: Bool { state.withLock { !$0.waiting.isEmpty } }

    var isListenedTo: Bool { state.withLock { !$0.listeners.isEmpty } }

    /// Everything that is written from now on. The stores are watched while somebody listens.
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

    /// Called by a context inside its transaction, at its end, while somebody listens.
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
            // Under the lock, so that everybody hears of changes in their order.
            for listener in state.listeners.values { listener.yield(change) }
        }
    }

    /// Who has written since a post, the last ones, and the number of the last post.
    func authors(after number: UInt64) -> (authors: [StoreChange.Author], last: UInt64) {
        state.withLock { state in (state.recent.filter { $0.number > number }.map(\.author), state.postCount) }
    }

    /// Looks for writes of others. A store that cannot be read now is looked at again with the next notice, a second later at most.
    private func look(at store: ObjectStore) {
        let count = state.withLock { $0.known[store.id]?.noteCount }
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
        // They end with their last owner, outside the lock.
        let ended = state.withLock { state in
            state.listeners[number] = nil
            guard state.listeners.isEmpty else { return [StoreWatch]() }
            defer { state.watches = [] }
            return state.watches
        }
        withExtendedLifetime(ended) {}
    }
}
