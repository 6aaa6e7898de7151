package import RoostModel
package import RoostProtocol

extension AccessHandler {
    /// Makes a scope; the creating device becomes its owner.
    ///
    /// The same request with the same nonce gets the same answer for ten minutes.
    package func createScope(
        name: String, device: String, schema: Schema, nonce: String, in transaction: any StoreTransaction,
        now: UInt64
    ) throws -> Registration {
        try check(nonce: nonce)
        let key = answerKey("scope", name, nonce: nonce)
        if let answer = try repeated(key, transaction, now: now) { return answer }
        try check(name: name, of: "scope")
        try check(name: device, of: "device")
        var generator = RandomBits(random)
        let scope = StoredScope(
            id: ScopeID(RecordID(milliseconds: now, using: &generator)), name: name, epoch: random.number(),
            schemaVersion: schema.version)
        let scopeKey = try transaction.insert(scope, schema: schema.source)
        let owner = try register(device, role: .owner, in: scopeKey, answering: key, transaction, now: now)
        return try registration(of: owner.replica, in: scopeKey, token: owner.token, transaction, now: now)
    }

    /// Redeems an invite.
    ///
    /// The same request with the same nonce gets the same answer for ten minutes, though the invite is used by then.
    package func join(
        invite token: Token, device: String, nonce: String, in transaction: any StoreTransaction, now: UInt64
    ) throws -> Registration {
        try check(nonce: nonce)
        let key = answerKey("join", token.text, nonce: nonce)
        if let answer = try repeated(key, transaction, now: now) { return answer }
        try check(name: device, of: "device")
        guard token.kind == .invite, var invite = try transaction.invite(token.hash) else {
            throw ProtocolError(.unauthorized, "Cannot join: the invite is not known. Ask its sender for a new one.")
        }
        guard invite.isOpen(at: now) else {
            throw ProtocolError(
                .inviteUsed,
                "Cannot join: the invite was used, has expired or was revoked. Ask its sender for a new one.")
        }
        try checkRoom(in: invite.scope, transaction)
        invite.usesLeft -= 1
        try transaction.put(invite)
        let member = try register(device, role: invite.role, in: invite.scope, answering: key, transaction, now: now)
        return try registration(of: member.replica, in: invite.scope, token: member.token, transaction, now: now)
    }

    /// Gives a copied or restored replica file an identity of its own: same device, same role.
    ///
    /// The old replica stays: the copy that still uses it goes on.
    package func renew(
        _ principal: Principal, nonce: String, in transaction: any StoreTransaction, now: UInt64
    ) throws -> Registration {
        try check(nonce: nonce)
        let key = answerKey("renew", principal.replica.description, nonce: nonce)
        if let answer = try repeated(key, transaction, now: now) { return answer }
        let old = try member(principal, atLeast: .viewer, to: "renew the replica", in: transaction)
        try checkRoom(in: old.scope, transaction)
        let renewed = try register(old.name, role: old.role, in: old.scope, answering: key, transaction, now: now)
        try inheritPlace(of: old, to: renewed.replica, transaction)
        return try registration(of: renewed.replica, in: old.scope, token: renewed.token, transaction, now: now)
    }

    /// A renewed replica goes on from the old one's checkpoint.
    private func inheritPlace(of old: StoredReplica, to id: ReplicaID, _ transaction: any StoreTransaction) throws {
        guard var replica = try transaction.replica(id, in: old.scope) else { return }
        replica.cursor = old.cursor
        replica.pulled = old.pulled
        try transaction.update(replica)
    }

    private func checkRoom(in scope: ScopeKey, _ snapshot: any StoreSnapshot) throws {
        let count = try snapshot.replicas(of: scope).count { !$0.isRevoked }
        guard count < limits.replicasPerScopeMax else {
            throw ProtocolError(
                .quotaExceeded,
                "Cannot add a device: the scope has \(count), the limit is \(limits.replicasPerScopeMax). Revoke one that "
                    + "is no longer used.")
        }
    }
}

/// An injected source as the standard library wants it.
private struct RandomBits: RandomNumberGenerator {
    private let source: RandomSource

    init(_ source: RandomSource) { self.source = source }

    mutating func next() -> UInt64 { source.number() }
}
