internal import RoostModel
internal import RoostProtocol
internal import RoostService

extension SQLiteTransaction {
    func token(_ hash: TokenHash) throws -> StoredToken? {
        try first("SELECT scope, replica, state, until FROM token WHERE hash = ?", { $0.bind(1, hash.bytes) }) { row in
            guard let state = StoredToken.State(rawValue: row.int64(2)) else {
                throw StoreError.damaged("a token has no known state")
            }
            return StoredToken(
                hash: hash, scope: ScopeKey(row.int64(0)), replica: row.replica(1), state: state, until: row.uint64(3))
        }
    }

    func put(_ token: StoredToken) throws {
        try run("INSERT OR REPLACE INTO token(hash, scope, replica, state, until) VALUES(?, ?, ?, ?, ?)") { row in
            row.bind(1, token.hash.bytes)
            row.bind(2, token.scope)
            row.bind(3, token.replica)
            row.bind(4, token.state.rawValue)
            row.bind(5, token.until)
        }
    }

    func removeTokens(of replica: ReplicaID, in scope: ScopeKey, where state: StoredToken.State) throws {
        try run("DELETE FROM token WHERE scope = ? AND replica = ? AND state = ?") { row in
            row.bind(1, scope)
            row.bind(2, replica)
            row.bind(3, state.rawValue)
        }
    }

    func retireTokens(of replica: ReplicaID, in scope: ScopeKey) throws {
        try run("UPDATE token SET state = ? WHERE scope = ? AND replica = ? AND state IN (?, ?)") { row in
            row.bind(1, StoredToken.State.dead.rawValue)
            row.bind(2, scope)
            row.bind(3, replica)
            row.bind(4, StoredToken.State.current.rawValue)
            row.bind(5, StoredToken.State.retiring.rawValue)
        }
    }

    // MARK: Invites

    private static let inviteColumns = "hash, scope, id, role, expires, uses_left, revoked, created, creator"

    func invite(_ hash: TokenHash) throws -> StoredInvite? {
        try first(
            "SELECT \(Self.inviteColumns) FROM invite WHERE hash = ?", { $0.bind(1, hash.bytes) }, { try invite($0) })
    }

    func invites(of scope: ScopeKey) throws -> [StoredInvite] {
        try all(
            "SELECT \(Self.inviteColumns) FROM invite WHERE scope = ? ORDER BY created, id", { $0.bind(1, scope) },
            { try invite($0) })
    }

    private func invite(_ row: SQLiteStatement) throws -> StoredInvite {
        guard let role = Role(rawValue: row.text(3)) else { throw StoreError.damaged("an invite has no known role") }
        return StoredInvite(
            hash: TokenHash(bytes: row.bytes(0)), scope: ScopeKey(row.int64(1)), id: row.text(2), role: role,
            expires: row.uint64(4), usesLeft: row.int(5), isRevoked: row.int(6) != 0, created: row.uint64(7),
            creator: row.known(8))
    }

    func put(_ invite: StoredInvite) throws {
        try run(
            """
            INSERT OR REPLACE INTO invite(hash, scope, id, role, expires, uses_left, revoked, created, creator)
            VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        ) { row in
            row.bind(1, invite.hash.bytes)
            row.bind(2, invite.scope)
            row.bind(3, invite.id)
            row.bind(4, invite.role.rawValue)
            row.bind(5, invite.expires)
            row.bind(6, invite.usesLeft)
            row.bind(7, invite.isRevoked ? 1 : 0)
            row.bind(8, invite.created)
            row.bind(9, invite.creator ?? .unregistered)
        }
    }

    func removeInvite(_ hash: TokenHash) throws {
        try run("DELETE FROM invite WHERE hash = ?") { $0.bind(1, hash.bytes) }
    }

    // MARK: Answers

    func answer(_ key: [UInt8]) throws -> StoredAnswer? {
        try first("SELECT scope, replica, created FROM answer WHERE key = ?", { $0.bind(1, key) }) { row in
            StoredAnswer(
                key: key, scope: ScopeKey(row.int64(0)), replica: row.replica(1), created: row.uint64(2))
        }
    }

    func put(_ answer: StoredAnswer) throws {
        try run("INSERT OR REPLACE INTO answer(key, scope, replica, created) VALUES(?, ?, ?, ?)") { row in
            row.bind(1, answer.key)
            row.bind(2, answer.scope)
            row.bind(3, answer.replica)
            row.bind(4, answer.created)
        }
    }

    func removeAnswers(before time: UInt64) throws {
        try run("DELETE FROM answer WHERE created < ?") { $0.bind(1, time) }
    }
}
