internal import GRDB
internal import RoostModel

/// The tokens of a replica, stored in a separate file next to it (``TokenFile``).
extension Replica {
    var tokens: TokenFile { TokenFile(of: path) }

    /// Stores a token before the server is asked to replace the current one by it. Sessions use it from now on. If the
    /// server has never received it, they fall back to the current one.
    package func prepareToken(_ token: String) throws {
        let owner = try tokenOwner()
        let current = Credentials(tokens.entries(), for: owner.replica).token
        try write([current, token], of: owner)
    }

    /// Removes all but the newest token, which the server has accepted.
    package func settleToken() throws {
        let owner = try tokenOwner()
        let credentials = Credentials(tokens.entries(), for: owner.replica)
        guard credentials.earlier != nil else { return }
        try write([credentials.token], of: owner)
    }

    /// Falls back to the token before `token`, which the server does not accept. `token` stays in the history: the server
    /// may have accepted it before it was restored from a backup.
    package func dropToken(_ token: String) throws {
        let entries = tokens.entries()
        let rest = entries.filter { $0.token != token }
        guard !rest.isEmpty, rest.count < entries.count else { return }
        try tokens.write(rest, history(with: entries, of: try tokenOwner()))
    }

    /// Stores the token that the replica uses from now on, replacing all others.
    package func setToken(_ token: String) throws { try write([token], of: try tokenOwner()) }

    /// Returns the token before the current one, while a rotation may not have reached the server; `nil` if no rotation is
    /// pending.
    package func earlierToken() throws -> String? {
        Credentials(tokens.entries(), for: try tokenOwner().replica).earlier
    }

    /// Returns the tokens that this replica has had on its current server, newest first, of rotations and of earlier
    /// identities. A server that was restored from a backup may accept one of them but not the current one.
    ///
    /// - Returns: At most 64 tokens, without those of other servers and scopes.
    package func earlierTokens() throws -> [String] {
        guard let place = try tokenOwner().place else { return [] }
        return tokens.history().tokens(at: place)
    }

    /// Runs a transaction that gives the replica another identity. Its token is written to disk beforehand, next to those of
    /// the current identity: whichever identity a crash leaves has its token. Afterwards the other tokens are only in the
    /// history.
    ///
    /// - Parameters:
    ///   - place: The server and scope of the new token; unchanged if `nil`.
    ///   - used: The token that requested the new one; `nil` if it was an invite.
    func taking<Result>(
        _ token: String, as replica: ReplicaID, at place: TokenScope? = nil, with used: String? = nil,
        _ body: () throws -> Result
    ) throws -> Result {
        let owner = try tokenOwner()
        let entry = TokenFile.Entry(replica: replica, token: token)
        let entries = tokens.entries()
        // Tokens of another replica, whose token file a user has copied here, do not belong to this replica's history.
        let own = entries.filter { $0.replica == owner.replica || $0.token == used }
        var history = history(with: own, of: owner)
        if let used, used != Credentials(entries, for: owner.replica).token { history.recordUse(of: used) }
        history.add(entry, at: place ?? owner.place)
        let kept = entries.filter { $0.replica == owner.replica && $0 != entry }
        try tokens.write(kept + [entry], history)
        let result: Result
        do {
            result = try body()
        } catch {
            // A retry has to send the token of the first request: only then does the server repeat its reply instead of
            // making another identity.
            if let used, history.putFirst(used) { try? tokens.write(kept + [entry], history) }
            throw error
        }
        // An old token that remains is never used: the identity in the file is the new one.
        if !kept.isEmpty { try? tokens.write([entry], history) }
        return result
    }

    /// The identity in the replica's file, and the server and scope of its tokens.
    private struct TokenOwner {
        let replica: ReplicaID
        let place: TokenScope?
    }

    private func tokenOwner() throws -> TokenOwner {
        try engineLook("read the identity") { database in
            let state = StateStore(database: database)
            return TokenOwner(
                replica: try state.replica,
                place: TokenScope(scope: try state.text(.scope), server: try state.text(.server)))
        }
    }

    /// Writes the current tokens of the replica, oldest first, and its token history.
    private func write(_ present: [String], of owner: TokenOwner) throws {
        let entries = present.map { TokenFile.Entry(replica: owner.replica, token: $0) }
        let known = tokens.entries().filter { $0.replica == owner.replica }
        try tokens.write(entries, history(with: known + entries, of: owner))
    }

    /// Returns the token history with `entries` added, oldest first: earlier versions of Roost did not record them.
    private func history(with entries: [TokenFile.Entry], of owner: TokenOwner) -> TokenHistory {
        entries.reduce(into: tokens.history()) { $0.add($1, at: owner.place) }
    }
}
