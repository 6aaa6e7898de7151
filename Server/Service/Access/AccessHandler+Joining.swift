package import RoostModel
package import RoostProtocol

extension AccessHandler {
    /// Creates a scope. The creating device becomes its owner.
    ///
    /// A repeated request with its nonce gets an equal answer for ten minutes.
    ///
    /// - Parameter id: The identifier of a scope whose server lost its data. Its replicas may bring back their records, as
    ///   after a restore.
    package func createScope(
        name: String, device: String, schema: Schema, nonce: String, id: ScopeID? = nil,
        in transaction: any StoreTransaction, now: UInt64
    ) throws -> Registration {
        try check(nonce: nonce)
        let request = NonceRequest("scope", name, nonce: nonce)
        if let answer = try repeated(request, transaction, now: now) { return answer }
        try check(name: name, of: "scope")
        try check(name: device, of: "device")
        var generator = RandomBits(random)
        if let id { try checkIsNew(id, transaction) }
        var scope = StoredScope(
            id: id ?? ScopeID(RecordID(milliseconds: now, using: &generator)), name: name, epoch: random.number(),
            schemaVersion: schema.version)
        let scopeKey = try transaction.insert(scope, schema: schema.source)
        if id != nil {
            scope.past.recoveringUntil = now + UInt64(limits.recoveringDays) * Self.dayMilliseconds
            try transaction.update(epoch: scope.epoch, scope.past, of: scopeKey)
        }
        let owner = try register(device, role: .owner, in: scopeKey, answering: request, transaction, now: now)
        return try registration(of: owner.replica, in: scopeKey, token: owner.token, transaction, now: now)
    }

    private func checkIsNew(_ id: ScopeID, _ snapshot: any StoreSnapshot) throws {
        for key in try snapshot.scopes() where try snapshot.scope(key)?.id == id {
            throw ProtocolError(
                .badRequest,
                "Cannot make the scope: this server has it. Ask an owner for an invite, or the operator of the server "
                    + "(\"roost-server owner\"), and join with that.")
        }
    }

    /// Redeems an invite.
    ///
    /// A repeated request with its nonce gets an equal answer for ten minutes, although the invite is used by then.
    ///
    /// - Parameter scope: The scope of a file that is attached again. An invite to another scope is refused, and not used
    ///   up.
    package func join(
        invite token: Token, device: String, nonce: String, scope: ScopeID? = nil,
        in transaction: any StoreTransaction, now: UInt64
    ) throws -> Registration {
        try check(nonce: nonce)
        let request = NonceRequest("join", token.text, nonce: nonce)
        if let answer = try repeated(request, transaction, now: now) { return answer }
        try check(name: device, of: "device")
        var invite = try openInvite(token, transaction, now: now)
        try check(invite, opens: scope, transaction)
        // The server's operator, whose invites have no creator, can appoint an owner even if devices that no longer exist
        // take all slots.
        if invite.creator != nil || invite.role < .owner { try checkRoom(in: invite.scope, transaction) }
        invite.usesLeft -= 1
        try transaction.put(invite)
        let member = try register(
            device, role: invite.role, in: invite.scope, answering: request, inviter: invite.creator, transaction,
            now: now)
        return try registration(of: member.replica, in: invite.scope, token: member.token, transaction, now: now)
    }

    /// Refuses a request that ``join(invite:device:nonce:scope:in:now:)`` would refuse because of the request itself or its
    /// invite.
    package func checkJoin(
        invite token: Token, device: String, nonce: String, scope: ScopeID? = nil, in snapshot: any StoreSnapshot,
        now: UInt64
    ) throws {
        try check(nonce: nonce)
        if try snapshot.answer(NonceRequest("join", token.text, nonce: nonce).key) != nil { return }
        try check(name: device, of: "device")
        try check(try openInvite(token, snapshot, now: now), opens: scope, snapshot)
    }

    private func check(_ invite: StoredInvite, opens id: ScopeID?, _ snapshot: any StoreSnapshot) throws {
        guard let id, try scope(invite.scope, snapshot).id != id else { return }
        throw ProtocolError(
            .badRequest,
            "Cannot join: the invite is for another scope than the one that the replica's file holds. Ask for an invite to "
                + "that scope.")
    }

    private func openInvite(
        _ token: Token, _ snapshot: any StoreSnapshot, now: UInt64
    ) throws -> StoredInvite {
        guard token.kind == .invite, let invite = try snapshot.invite(token.hash) else {
            throw ProtocolError(.unauthorized, "Cannot join: the invite is not known. Ask its sender for a new one.")
        }
        guard invite.isOpen(at: now) else {
            throw ProtocolError(
                .inviteUsed,
                "Cannot join: the invite was used, has expired or was revoked. Ask its sender for a new one.")
        }
        return invite
    }

    /// Gives a copied or restored replica file an identity of its own, with its device and role.
    ///
    /// The old replica stays, so that the copy that still uses it can continue. Both are one device, with one slot among
    /// the scope's devices.
    package func renew(
        _ principal: Principal, nonce: String, in transaction: any StoreTransaction, now: UInt64
    ) throws -> Registration {
        try check(nonce: nonce)
        let request = NonceRequest("renew", principal.replica.description, nonce: nonce)
        if let answer = try repeated(request, transaction, now: now) { return answer }
        let old = try member(principal, atLeast: .viewer, to: "renew the replica", in: transaction)
        try checkRenewals(of: old.device, in: old.scope, transaction, now: now)
        let renewed = try register(
            old.name, role: old.role, in: old.scope, answering: request, device: old.device, inviter: old.inviter,
            transaction, now: now)
        try inheritPlace(of: old, to: renewed.replica, transaction)
        return try registration(of: renewed.replica, in: old.scope, token: renewed.token, transaction, now: now)
    }

    /// Copies the old replica's position to the renewed one.
    private func inheritPlace(of old: StoredReplica, to id: ReplicaID, _ transaction: any StoreTransaction) throws {
        guard var replica = try transaction.replica(id, in: old.scope) else { return }
        replica.cursor = old.cursor
        replica.pulled = old.pulled
        try transaction.update(replica)
    }

    private func checkRoom(in scope: ScopeKey, _ snapshot: any StoreSnapshot) throws {
        let count = Set(try snapshot.replicas(of: scope).filter { !$0.isRevoked }.map(\.device)).count
        guard count < limits.replicasPerScopeMax else {
            throw ProtocolError(
                .quotaExceeded,
                "Cannot add a device: the scope has \(count), the limit is \(limits.replicasPerScopeMax). Revoke one that "
                    + "is no longer used.")
        }
    }
}

extension AccessHandler {
    private static let dayMilliseconds: UInt64 = 24 * 3_600_000

    /// Checks the rate of renewals. A copied file renews once. A program that renews in a loop, or to outlast its
    /// revocation, is refused.
    private func checkRenewals(
        of device: ReplicaID, in scope: ScopeKey, _ snapshot: any StoreSnapshot, now: UInt64
    ) throws {
        let times = try snapshot.replicas(of: scope).filter { $0.device == device && $0.id != device }.map(\.created)
        let recent = times.filter { $0 + Self.dayMilliseconds > now }
        guard recent.count >= limits.renewalsPerDayMax, let first = recent.min() else { return }
        throw ProtocolError(
            .tooManyRequests,
            "Cannot renew the replica: this device was given \(recent.count) new identities within a day, the limit is "
                + "\(limits.renewalsPerDayMax). Find out which program copies or restores its file.",
            retryAfter: Int(
                clamping: (first + Self.dayMilliseconds - min(now, first + Self.dayMilliseconds)) / 1000 + 1))
    }
}

/// An injected source as a random number generator of the standard library.
private struct RandomBits: RandomNumberGenerator {
    private let source: RandomSource

    init(_ source: RandomSource) { self.source = source }

    mutating func next() -> UInt64 { source.number() }
}
