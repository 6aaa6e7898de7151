internal import Replica
internal import Synchronization

/// The source of notifications of writes to the stores of a coordinator, by any author.
final class ChangeHub: Sendable {
    private struct State {
        var listeners: [UInt64: AsyncStream<StoreChange>.Continuation] = [:]
        var watches: [StoreWatch] = []
        /// The number of contexts that check for writes before they read.
        var checkerCount = 0
        /// The cached state of each store, while there are listeners or checkers.
        var known: [StoreID: KnownState] = [:]
        /// The state in which each store was read last. It is as the cached state says.
        var read: [StoreID: StoreReading.State] = [:]
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
        /// The number of the last post that is no longer among them.
        var droppedNumber: UInt64 = 0

        /// Returns whether the pages of a store have waited long enough. Starts the wait where there is none.
        mutating func hasWaited(_ store: StoreID) -> Bool {
            let now = ContinuousClock.now
            if let begin = waiting[store] { return now - begin >= pagesWait }
            waiting[store] = now
            return false
        }

        /// Caches the state of the stores, unless it is cached.
        mutating func cache(_ tokens: [(id: StoreID, token: WriteToken)]) {
            guard known.isEmpty else { return }
            known = Dictionary(uniqueKeysWithValues: tokens.map { ($0.id, KnownState($0.token)) })
        }

        /// Ends the watches that no listener needs, and the cached state that nobody needs.
        ///
        /// - Returns: The watches to release, outside the lock.
        mutating func releaseUnused() -> [StoreWatch] {
            guard listeners.isEmpty else { return [] }
            if checkerCount == 0 { (known, read) = ([:], [:]) }
            defer { watches = [] }
            return watches
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

    /// Whether contexts have to record their writes.
    var isListenedTo: Bool { state.withLock { !$0.listeners.isEmpty || $0.checkerCount > 0 } }

    /// Returns a stream of all writes from now on. The stores are watched while there are listeners.
    ///
    /// - Throws: ``ObjectError`` with the code `store` where a store cannot be read.
    func listen(to stores: [ObjectStore]) throws -> AsyncStream<StoreChange> {
        let tokens = try Self.tokens(of: stores)
        let (stream, continuation) = AsyncStream.makeStream(of: StoreChange.self, bufferingPolicy: .unbounded)
        let number = state.withLock { state in
            state.listenerCount += 1
            state.listeners[state.listenerCount] = continuation
            state.cache(tokens)
            if state.watches.isEmpty {
                state.watches = stores.compactMap { store in
                    StoreWatch(store.backend) { [weak self, weak store] in
                        // A store that cannot be read is checked again at the next notification, after a second at most.
                        if let store { try? self?.look(at: store) }
                    }
                }
            }
            return state.listenerCount
        }
        // Swift calls this under a lock of the task that reads the stream, which `post` needs while it holds the lock here.
        continuation.onTermination = { [weak self] _ in Task { self?.leave(number) } }
        return stream
    }

    private static func tokens(of stores: [ObjectStore]) throws -> [(id: StoreID, token: WriteToken)] {
        try stores.map { ($0.id, try $0.backend.writeToken()) }
    }

    // MARK: Checks

    /// Records writes from now on for a context that checks for them before it reads (``check(_:)``). The stores are not watched
    /// for it.
    ///
    /// - Returns: A token. Writes are recorded as long as it exists.
    /// - Throws: ``ObjectError`` with the code `store` where a store cannot be read.
    func beginChecks(of stores: [ObjectStore]) throws -> ChangeChecks {
        let tokens = try Self.tokens(of: stores)
        state.withLock { state in
            state.cache(tokens)
            state.checkerCount += 1
        }
        return ChangeChecks(self)
    }

    /// Checks for writes of others at once, and posts them. Pages that were pulled do not wait for the pages that follow.
    ///
    /// - Throws: ``ObjectError`` with the code `store` where a store cannot be read.
    func check(_ stores: [ObjectStore]) throws {
        for store in stores { try look(at: store, waits: false) }
    }

    fileprivate func endChecks() {
        let ended = state.withLock { state in
            state.checkerCount -= 1
            return state.releaseUnused()
        }
        withExtendedLifetime(ended) {}
    }

    /// Returns the recent changes after a post, and the number of the last post.
    ///
    /// - Returns: Also whether these are all changes after the post.
    func changes(after number: UInt64) -> (changes: [StoreChange], last: UInt64, areAll: Bool) {
        state.withLock { state in
            (state.recent.filter { $0.number > number }, state.postCount, number >= state.droppedNumber)
        }
    }

    // MARK: Posts

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
            if change.extent != .records([]) {
                if state.recent.count == Self.recentMax { state.droppedNumber = state.recent.removeFirst().number }
                state.recent.append(change)
            }
            // The changes are sent under the lock, so that every listener receives them in order.
            for listener in state.listeners.values { listener.yield(change) }
        }
    }

    /// Checks for writes of others, and posts them.
    ///
    /// - Parameter waits: Whether pages that were pulled wait for the pages that follow.
    private func look(at store: ObjectStore, waits: Bool = true) throws {
        let (count, last) = state.withLock { ($0.known[store.id]?.recordCount, $0.read[store.id]) }
        guard let count, let reading = try store.backend.reading(unless: last) else { return }
        let token = reading.token
        let authors = state.withLock { state -> [StoreChange.Author] in
            let isHalf = token.isBehind && state.known[store.id]?.hasOnlyPulled(token) == true
            guard !waits || !isHalf || state.hasWaited(store.id) else { return [] }
            state.waiting[store.id] = nil
            guard let authors = state.known[store.id]?.take(token, readAt: count) else { return [] }
            state.read[store.id] = reading.state
            return authors
        }
        for author in authors { post(StoreChange(author: author, extent: .unknown)) }
    }

    private func leave(_ number: UInt64) {
        // The watches are released outside the lock, where they end.
        let ended = state.withLock { state in
            state.listeners[number] = nil
            return state.releaseUnused()
        }
        withExtendedLifetime(ended) {}
    }
}

/// Token of the checks of one context for writes of others.
final class ChangeChecks: Sendable {
    private let hub: ChangeHub

    fileprivate init(_ hub: ChangeHub) { self.hub = hub }

    deinit { hub.endChecks() }
}
