internal import Replica

/// What a coordinator knows of a store's state, to tell who has written: its own contexts say so, and everybody else is found by looking.
struct KnownState {
    /// The last that is known; what a context has noted and is about to commit counts.
    private var token: WriteToken
    /// What the store had before that context wrote: a look during its transaction, or after a commit that failed, reads it.
    private var before: WriteToken?
    /// How many writes contexts have noted.
    private(set) var noteCount: UInt64 = 0

    init(_ token: WriteToken) { self.token = token }

    /// Notes a write of a context.
    ///
    /// - Returns: Who else has written before it, unnoticed until now.
    mutating func note(before: WriteToken, after: WriteToken) -> [StoreChange.Author] {
        let authors = before == self.before ? [] : before.authors(since: token)
        token = after
        self.before = before
        noteCount += 1
        return authors
    }

    /// Whether pages were pulled since, and nobody else has written.
    func hasOnlyPulled(_ token: WriteToken) -> Bool {
        token.remote != self.token.remote && token.local == self.token.local
    }

    /// Takes what was read of the store.
    ///
    /// - Parameter count: What ``noteCount`` was before it was read.
    /// - Returns: Who else has written.
    mutating func take(_ token: WriteToken, readAt count: UInt64) -> [StoreChange.Author] {
        // What was read before a context noted its write may be old. The note has looked for others itself, and who writes after it
        // is looked for again.
        guard count == noteCount, token != before else { return [] }
        defer { self.token = token }
        return token.authors(since: self.token)
    }
}
