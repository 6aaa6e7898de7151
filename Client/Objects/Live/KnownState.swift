internal import Replica

/// The cached state of a store, which tells the authors of writes apart. Contexts of the coordinator record their writes; writes
/// of others are found by reading the store.
struct KnownState {
    /// The last cached token. A write that a context has recorded and is about to commit counts.
    private var token: WriteToken
    /// The token before the last recorded write of a context. A read during its transaction, or after a commit that failed,
    /// returns this token.
    private var before: WriteToken?
    /// The number of writes that contexts have recorded.
    private(set) var recordCount: UInt64 = 0

    init(_ token: WriteToken) { self.token = token }

    /// Records a write of a context.
    ///
    /// - Returns: The other authors that have written before it and were not noticed until now.
    mutating func note(before: WriteToken, after: WriteToken) -> [StoreChange.Author] {
        let authors = before == self.before ? [] : before.authors(since: token)
        token = after
        self.before = before
        recordCount += 1
        return authors
    }

    /// Whether pages were pulled since the cached token, and no other author has written.
    func hasOnlyPulled(_ token: WriteToken) -> Bool {
        token.remote != self.token.remote && token.local == self.token.local
    }

    /// Caches a token that was read from the store.
    ///
    /// - Parameter count: The value of ``recordCount`` before the token was read.
    /// - Returns: The other authors that have written since the previously cached token; `nil` where the token may be stale.
    mutating func take(_ token: WriteToken, readAt count: UInt64) -> [StoreChange.Author]? {
        // A token read before a context recorded its write may be stale. Recording the write has already found other authors, and
        // later writes cause another check.
        guard count == recordCount, token != before else { return nil }
        defer { self.token = token }
        return token.authors(since: self.token)
    }
}
