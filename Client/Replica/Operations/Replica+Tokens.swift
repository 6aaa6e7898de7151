internal import GRDB
internal import RoostModel

/// The tokens of a replica, which are in a file next to it (``TokenFile``).
extension Replica {
    var tokens: TokenFile { TokenFile(of: path) }

    /// Stores a token before the server is asked to let it take the place of the present one. Sessions use it from now on; where the server
    /// has never heard of it, they go back to the one before.
    package func prepareToken(_ token: String) throws {
        let owner = try tokenOwner()
        let current = Credentials(tokens.entries(), for: owner.replica).token
        try write([current, token], of: owner)
    }

    /// Keeps the newest token alone: the server has shown that it knows it.
    package func settleToken() throws {
        let owner = try tokenOwner()
        let credentials = Credentials(tokens.entries(), for: owner.replica)
        guard credentials.earlier != nil else { return }
        try write([credentials.token], of: owner)
    }

    /// Goes back to the token before `token`, of which the server does not know. It stays among the earlier ones: the server may have known
    /// it before it was restored from a backup.
    package func dropToken(_ token: String) throws {
        let entries = tokens.entries()
        let rest = entries.filter { $0.token != token }
        guard !rest.isEmpty, rest.count < entries.count else { return }
        try tokens.write(rest, history(with: entries, of: try tokenOwner()))
    }

    /// Stores the token that the replica uses from now on, in the place of all others.
    package func setToken(_ token: String) throws { try write([token], of: try tokenOwner()) }

    /// The token before the present one, while a rotation may not have reached the server; `nil` where none was begun.
    package func earlierToken() throws -> String? {
        Credentials(tokens.entries(), for: try tokenOwner().replica).earlier
    }

    /// The tokens that this replica has had on its present server, newest first: of rotations and of earlier identities. A server that was
    /// restored from a backup may know one of them, and not the present one.
    ///
    /// - Returns: At most 64, without those made for other servers and scopes.
    package func earlierTokens() throws -> [String] {
        guard let place = try tokenOwner().place else { return [] }
        return tokens.history().tokens(at: place)
    }

    /// Runs a transaction that gives the replica another identity. The token of that is on the disk before, next to those of the present
    /// one: whatever a crash leaves of the transaction has its token. Afterwards the others are among the earlier ones alone.
    ///
    /// - Parameters:
    ///   - place: For which the new token was made; as before where it is `nil`.
    ///   - used: The token that the new one was asked for with; `nil` where it was an invite.
    func taking<Result>(
        _ token: String, as replica: ReplicaID, at place: TokenPlace? = nil, with used: String? = nil,
        _ body: () throws -> Result
    ) throws -> Result {
        let owner = try tokenOwner()
        let entry = TokenFile.Entry(replica: replica, token: token)
        let entries = tokens.entries()
        // Those of another replica, whose token file a person has put here, are no tokens of this one.
        let own = entries.filter { $0.replica == owner.replica || $0.token == used }
        var history = history(with: own, of: owner)
        if let used, used != Credentials(entries, for: owner.replica).token { history.noteUse(of: used) }
        history.add(entry, at: place ?? owner.place)
        let kept = entries.filter { $0.replica == owner.replica && $0 != entry }
        try tokens.write(kept + [entry], history)
        let result: Result
        do {
            result = try body()
        } catch {
            // The request is made again with the token that it was made with: that gets the same answer, and no further identity.
            if let used, history.putFirst(used) { try? tokens.write(kept + [entry], history) }
            throw error
        }
        // One that is left is never used: the identity in the file is another.
        if !kept.isEmpty { try? tokens.write([entry], history) }
        return result
    }

    /// The identity that the replica's file has, and for which server and scope its tokens were made.
    private struct TokenOwner {
        let replica: ReplicaID
        let place: TokenPlace?
    }

    private func tokenOwner() throws -> TokenOwner {
        try engineLook("read the identity") { database in
            let state = StateStore(database: database)
            return TokenOwner(
                replica: try state.replica,
                place: TokenPlace(scope: try state.text(.scope), server: try state.text(.server)))
        }
    }

    /// Writes the tokens of the replica, oldest first, and all that it has had.
    private func write(_ present: [String], of owner: TokenOwner) throws {
        let entries = present.map { TokenFile.Entry(replica: owner.replica, token: $0) }
        let known = tokens.entries().filter { $0.replica == owner.replica }
        try tokens.write(entries, history(with: known + entries, of: owner))
    }

    /// The tokens that the replica has had, with some of it, oldest first, that programs of earlier versions have not noted.
    private func history(with entries: [TokenFile.Entry], of owner: TokenOwner) -> TokenHistory {
        entries.reduce(into: tokens.history()) { $0.add($1, at: owner.place) }
    }
}
