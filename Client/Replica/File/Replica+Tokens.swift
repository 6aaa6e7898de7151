internal import RoostModel

/// The tokens of a replica, which are in a file next to it (``TokenFile``).
extension Replica {
    var tokens: TokenFile { TokenFile(of: path) }

    /// Stores a token before the server is asked to let it take the place of the present one. Sessions use it from now on; where the server
    /// has never heard of it, they go back to the one before.
    package func prepareToken(_ token: String) throws {
        let replica = try ownIdentity()
        let current = Credentials(tokens.entries(), for: replica).token
        try tokens.write([current, token].map { .init(replica: replica, token: $0) })
    }

    /// Keeps the newest token alone: the server has shown that it knows it.
    package func settleToken() throws {
        let replica = try ownIdentity()
        let credentials = Credentials(tokens.entries(), for: replica)
        guard credentials.earlier != nil else { return }
        try tokens.write([.init(replica: replica, token: credentials.token)])
    }

    /// Goes back to the token before `token`, of which the server does not know.
    package func dropToken(_ token: String) throws {
        let entries = tokens.entries()
        let rest = entries.filter { $0.token != token }
        guard !rest.isEmpty, rest.count < entries.count else { return }
        try tokens.write(rest)
    }

    /// Stores the token that the replica uses from now on, in the place of all others.
    package func setToken(_ token: String) throws {
        try tokens.write([.init(replica: try ownIdentity(), token: token)])
    }

    /// The token before the present one, while a rotation may not have reached the server; `nil` where none was begun.
    package func earlierToken() throws -> String? {
        Credentials(tokens.entries(), for: try ownIdentity()).earlier
    }

    /// Runs a transaction that gives the replica another identity. The token of that is on the disk before, next to those of the present
    /// one: whatever a crash leaves of the transaction has its token. Afterwards the others go.
    func taking<Result>(_ token: String, as replica: ReplicaID, _ body: () throws -> Result) throws -> Result {
        let old = try ownIdentity()
        let entry = TokenFile.Entry(replica: replica, token: token)
        let kept = tokens.entries().filter { $0.replica == old && $0 != entry }
        try tokens.write(kept + [entry])
        let result = try body()
        // One that is left is never used: the identity in the file is another.
        if !kept.isEmpty { try? tokens.write([entry]) }
        return result
    }

    private func ownIdentity() throws -> ReplicaID {
        try engineLook("read the identity") { try StateStore(database: $0).replica }
    }
}
