package import RoostModel
internal import RoostProtocol

extension AccessHandler {
    /// What to do about a token that was shown.
    package enum Verdict: Hashable, Sendable {
        /// - Parameter until: When it ends by itself, in milliseconds since 1970; `nil` for never.
        case valid(Principal, lastSeen: UInt64, until: UInt64? = nil)
        /// Valid for the first time after a rotation: ``settleRotation(_:in:)`` has to be run.
        case validFresh(Principal)
        /// A dead token of a rotation: ``revokeStolen(_:in:)`` has to be run.
        case stolen(Principal)
        case revoked
        case unknown
    }

    /// Looks a device token up.
    package func verdict(on hash: TokenHash, in snapshot: any StoreSnapshot, now: UInt64) throws -> Verdict {
        guard let token = try snapshot.token(hash), let replica = try snapshot.replica(token.replica, in: token.scope)
        else { return .unknown }
        if replica.isRevoked { return .revoked }
        let scope = try scope(token.scope, snapshot)
        let principal = Principal(scope: scope.key, scopeID: scope.id, replica: replica.id, role: replica.role)
        switch token.state {
        case .current: return .valid(principal, lastSeen: replica.lastSeen)
        case .fresh: return .validFresh(principal)
        case .retiring:
            return now < token.until
                ? .valid(principal, lastSeen: replica.lastSeen, until: token.until) : .unknown
        case .dead: return .stolen(principal)
        }
    }

    /// Gives the member a new token; the old one works until the new one is used, or for a day.
    ///
    /// - Parameter proposed: A token that the client has made and stored: whatever becomes of the reply, it has the token. The server
    ///   makes one where it is `nil`.
    package func rotate(
        _ hash: TokenHash, to proposed: Token? = nil, of principal: Principal, in transaction: any StoreTransaction,
        now: UInt64
    ) throws -> Token {
        let member = try member(principal, atLeast: .viewer, to: "rotate the token", in: transaction)
        guard var old = try transaction.token(hash), old.state == .current || old.state == .retiring else {
            throw ProtocolError(
                .unauthorized, "Cannot rotate the token: it is no longer the device's. Use the newest one.")
        }
        if let proposed { try checkIsFree(proposed, for: member, transaction) }
        // A rotation whose answer was lost leaves a token that nobody has, or one that is proposed once more.
        try transaction.removeTokens(of: member.id, in: member.scope, where: .fresh)
        if old.state == .current {
            old.state = .retiring
            old.until = now + Self.retiringMilliseconds
            try transaction.put(old)
        }
        let token = proposed ?? token(.device, of: random.bytes(32))
        try transaction.put(StoredToken(hash: token.hash, scope: member.scope, replica: member.id, state: .fresh))
        return token
    }

    /// One that a rotation has not used up may be proposed again.
    private func checkIsFree(_ token: Token, for member: StoredReplica, _ snapshot: any StoreSnapshot) throws {
        if token.kind == .device {
            guard let stored = try snapshot.token(token.hash) else { return }
            if stored.replica == member.id, stored.scope == member.scope, stored.state == .fresh { return }
        }
        throw ProtocolError(
            .badRequest, "Cannot rotate the token: the one proposed is no new device token. Make another at random.")
    }

    /// Lets the token before a fresh one die, now that the fresh one is used.
    package func settleRotation(_ hash: TokenHash, in transaction: any StoreTransaction) throws {
        guard var token = try transaction.token(hash), token.state == .fresh else { return }
        try transaction.retireTokens(of: token.replica, in: token.scope)
        token.state = .current
        try transaction.put(token)
    }

    /// Takes a device's access away because a token of it that has died was shown. The last owner's stays: nobody could give it back,
    /// and whoever has the dead token could lock the scope with it.
    ///
    /// - Returns: The replicas that have no access any more; none for the last owner.
    package func revokeStolen(_ principal: Principal, in transaction: any StoreTransaction) throws -> [ReplicaID] {
        let all = try transaction.replicas(of: principal.scope)
        guard let replica = all.first(where: { $0.id == principal.replica }) else { return [] }
        guard Self.hasOwner(all, besides: [replica.device]) || !Self.isOwner(replica.device, all) else {
            try transaction.removeTokens(of: replica.id, in: principal.scope, where: .dead)
            return []
        }
        return try revoke([replica.device], all, in: transaction)
    }
}
