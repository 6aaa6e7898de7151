package import RoostModel
internal import RoostProtocol

extension AccessHandler {
    /// The decision about the token of a request.
    package enum Verdict: Hashable, Sendable {
        /// Valid. `until` is the time at which the token expires, in milliseconds since 1970; `nil` for never.
        case valid(Principal, lastSeen: UInt64, until: UInt64? = nil)
        /// Valid, and used for the first time after a rotation: the caller has to run ``settleRotation(_:in:)``.
        case validFresh(Principal)
        /// A token that a rotation has replaced: the caller has to run ``revokeStolen(_:in:now:)``.
        case stolen(Principal)
        case revoked
        case unknown
    }

    /// Looks up a device token.
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

    /// Gives the member a new token. The old one works until the new one is used, or for a day.
    ///
    /// - Parameters:
    ///   - proposed: A token that the client has made and stored, so that it has the token even if the reply is lost. If
    ///     `nil`, the server makes one.
    ///   - former: Tokens of earlier identities of the device, which are removed.
    package func rotate(
        _ hash: TokenHash, to proposed: Token? = nil, endingAlso former: [TokenHash] = [], of principal: Principal,
        in transaction: any StoreTransaction, now: UInt64
    ) throws -> Token {
        let member = try member(principal, atLeast: .viewer, to: "rotate the token", in: transaction)
        guard var old = try transaction.token(hash), old.state == .current || old.state == .retiring else {
            throw ProtocolError(
                .unauthorized, "Cannot rotate the token: it is no longer the device's. Use the newest one.")
        }
        if let proposed { try checkIsFree(proposed, for: member, transaction) }
        try end(former, of: member, transaction)
        // A rotation whose reply was lost leaves a token that no client has, or that is proposed again.
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

    /// Removes tokens of other replicas of a device. Using one later is not treated as theft, because a copy of the file
    /// may still use it.
    private func end(_ tokens: [TokenHash], of member: StoredReplica, _ transaction: any StoreTransaction) throws {
        for hash in tokens {
            guard let token = try transaction.token(hash), token.scope == member.scope, token.replica != member.id,
                try transaction.replica(token.replica, in: token.scope)?.device == member.device
            else { continue }
            for state in [StoredToken.State.current, .fresh, .retiring, .dead] {
                try transaction.removeTokens(of: token.replica, in: token.scope, where: state)
            }
        }
    }

    /// Checks a proposed token. One that an unfinished rotation has stored may be proposed again.
    private func checkIsFree(_ token: Token, for member: StoredReplica, _ snapshot: any StoreSnapshot) throws {
        if token.kind == .device {
            guard let stored = try snapshot.token(token.hash) else { return }
            if stored.replica == member.id, stored.scope == member.scope, stored.state == .fresh { return }
        }
        throw ProtocolError(
            .badRequest, "Cannot rotate the token: the one proposed is no new device token. Make another at random.")
    }

    /// Retires the previous token, now that the fresh one is used.
    package func settleRotation(_ hash: TokenHash, in transaction: any StoreTransaction) throws {
        guard var token = try transaction.token(hash), token.state == .fresh else { return }
        try transaction.retireTokens(of: token.replica, in: token.scope)
        token.state = .current
        try transaction.put(token)
    }

    /// Revokes a device because one of its replaced tokens was used. The last owner is not revoked: no member could restore
    /// the access, and a caller with the replaced token could lock the scope with it. While the scope recovers, no device
    /// is revoked: a device that went back to an earlier token on a restored server uses that token with a newer backup of
    /// the server too.
    ///
    /// - Returns: The replicas that lost their access; none if the device keeps it.
    package func revokeStolen(
        _ principal: Principal, in transaction: any StoreTransaction, now: UInt64
    ) throws -> [ReplicaID] {
        guard try !scope(principal.scope, transaction).past.isRecovering(at: now) else { return [] }
        let all = try transaction.replicas(of: principal.scope)
        guard let replica = all.first(where: { $0.id == principal.replica }) else { return [] }
        guard Self.hasOwner(all, besides: [replica.device]) || !Self.isOwner(replica.device, all) else {
            try transaction.removeTokens(of: replica.id, in: principal.scope, where: .dead)
            return []
        }
        return try revoke([replica.device], all, in: transaction)
    }
}
