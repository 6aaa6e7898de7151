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
    /// - Parameters:
    ///   - proposed: A token that the client has made and stored: whatever becomes of the reply, it has the token. The server makes one
    ///     where it is `nil`.
    ///   - former: Tokens of earlier identities of the same device, which let nobody in any more.
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

    /// Ends tokens of other replicas of a device: to show one is no theft afterwards, for a copy of the file may still use it.
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
    /// and whoever has the dead token could lock the scope with it. So does everybody's while the scope recovers: a device that went back to
    /// an earlier token on a server that was restored shows that to a newer backup of it.
    ///
    /// - Returns: The replicas that have no access any more; none where it stays.
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
