package import RoostModel
package import RoostProtocol

extension SyncService {
    /// Looks up the member of a device token.
    ///
    /// - Throws: ``ErrorCode/unauthorized`` for an unknown token, ``ErrorCode/revoked`` for a revoked device's token.
    package func member(_ token: Token) async throws -> Principal {
        let hash = token.hash
        let hour = now - now % 3_600_000
        if let entry = members.entry(hash), entry.until.map({ now < $0 }) ?? true {
            if entry.lastSeen < hour { await recordUse(of: hash, entry.principal) }
            return entry.principal
        }
        let generation = members.generation
        let verdict = try store.read { try access.verdict(on: hash, in: $0, now: now) }
        switch verdict {
        case .valid(let principal, let lastSeen, let until):
            members.keep(.init(principal: principal, until: until, lastSeen: lastSeen), for: hash, since: generation)
            if lastSeen < hour { await recordUse(of: hash, principal) }
            return principal
        case .validFresh(let principal):
            try await queue.commit { [access] in try access.settleRotation(hash, in: $0) }
            members.forget(principal.scope)
            return principal
        case .stolen(let principal):
            let revoked = try await queue.commit { [access, now] in
                try access.revokeStolen(principal, in: $0, now: now)
            }
            for replica in revoked { end(replica, in: principal.scope) }
            report(.stolenToken(scope: principal.scopeID, replica: principal.replica, isRevoked: !revoked.isEmpty))
            throw revoked.isEmpty ? AccessHandler.unauthorized : AccessHandler.revoked
        case .revoked: throw AccessHandler.revoked
        case .unknown: throw AccessHandler.unauthorized
        }
    }

    /// The maximum number of tokens that ``known(_:)`` looks up.
    package static let knownTokensMax = 64

    /// Finds the first token that the server has, including those of revoked devices. A token that a rotation has replaced
    /// counts as unknown, and looking it up is not treated as theft.
    ///
    /// - Returns: Its index, and the replica to which it gives access; `nil` if none is known.
    package func known(_ hashes: [TokenHash]) throws -> (index: Int, replica: ReplicaID?)? {
        try store.read { snapshot in
            for (index, hash) in hashes.prefix(Self.knownTokensMax).enumerated() {
                switch try access.verdict(on: hash, in: snapshot, now: now) {
                case .valid(let principal, _, _), .validFresh(let principal): return (index, principal.replica)
                case .revoked: return (index, nil)
                case .stolen, .unknown: continue
                }
            }
            return nil
        }
    }

    /// Records the use of a token. A full disk does not prevent pulls: the use is then recorded in a later hour.
    private func recordUse(of hash: TokenHash, _ principal: Principal) async {
        let now = now
        members.recordUse(of: hash, hour: now - now % 3_600_000)
        try? await queue.commit { transaction in
            guard var replica = try transaction.replica(principal.replica, in: principal.scope) else { return }
            if replica.see(at: now) { try transaction.update(replica) }
        }
    }

    private func end(_ replica: ReplicaID, in scope: ScopeKey) {
        members.forget(scope)
        waitingRoom.end(replica, in: scope)
    }

    /// Creates a scope: see ``AccessHandler/createScope(name:device:schema:nonce:id:in:now:)``.
    package func createScope(
        name: String, device: String, schema: String, nonce: String, id: ScopeID? = nil
    ) async throws -> Registration {
        let schema = try access.readSchema(schema)
        return try await queue.commit { [self] in
            try access.createScope(name: name, device: device, schema: schema, nonce: nonce, id: id, in: $0, now: now)
        }
    }

    /// Refuses an action that the device's role does not allow, before any of the request is read. The transaction checks
    /// again.
    package func check(_ member: Principal, atLeast role: Role, to action: String) throws(ProtocolError) {
        guard member.role < role else { return }
        throw AccessHandler.forbidden(member.role, atLeast: role, to: action)
    }

    /// Redeems an invite: see ``AccessHandler/join(invite:device:nonce:scope:in:now:)``. An invalid invite is refused
    /// without a commit.
    package func join(
        invite: Token, device: String, nonce: String, scope: ScopeID? = nil
    ) async throws -> Registration {
        try store.read {
            try access.checkJoin(invite: invite, device: device, nonce: nonce, scope: scope, in: $0, now: now)
        }
        return try await queue.commit { [self] in
            try access.join(invite: invite, device: device, nonce: nonce, scope: scope, in: $0, now: now)
        }
    }

    /// Renews a replica: see ``AccessHandler/renew(_:nonce:in:now:)``.
    package func renew(_ member: Principal, reason: String, nonce: String) async throws -> Registration {
        let renewed = try await queue.commit { [self] transaction in
            try cursors.flush(member.scope, to: transaction)
            return try access.renew(member, nonce: nonce, in: transaction, now: now)
        }
        report(.renewed(scope: member.scopeID, replica: member.replica, as: renewed.replica, reason: reason))
        return renewed
    }

    package func createInvite(role: Role, hours: Int?, uses: Int, by member: Principal) async throws -> Invite {
        try await queue.commit { [self] in
            try access.createInvite(role: role, hours: hours, uses: uses, by: member, in: $0, now: now)
        }
    }

    package func invites(for member: Principal) throws -> [Invite] {
        try store.read { try access.invites(for: member, in: $0, now: now) }
    }

    package func revokeInvite(_ id: String, by member: Principal) async throws {
        try await queue.commit { [access] in try access.revokeInvite(id, by: member, in: $0) }
    }

    package func devices(for member: Principal) throws -> [Device] {
        try store.read { try access.devices(for: member, in: $0) }
    }

    /// Revokes a device. The waiting pulls of its replicas end at once.
    ///
    /// - Returns: The devices that joined with its invites, and keep their access.
    @discardableResult
    package func revoke(
        _ replica: ReplicaID, withInvited: Bool = false, by member: Principal
    ) async throws -> [Device] {
        try await queue.commit { [access] in
            try access.revoke(replica, withInvited: withInvited, by: member, in: $0)
        } then: { [self] done in
            for replica in done.replicas { end(replica, in: member.scope) }
        }.invited
    }

    package func setRole(_ role: Role, of replica: ReplicaID, by member: Principal) async throws {
        try await queue.commit { [access] in
            try access.setRole(role, of: replica, by: member, in: $0)
        } then: { [self] _ in
            members.forget(member.scope)
        }
    }

    package func rotate(
        _ token: Token, to proposed: Token? = nil, endingAlso former: [TokenHash] = [], of member: Principal
    ) async throws -> Token {
        try await queue.commit { [self] in
            try access.rotate(token.hash, to: proposed, endingAlso: former, of: member, in: $0, now: now)
        } then: { [self] _ in
            members.forget(member.scope)
        }
    }

    package func schema(for member: Principal) throws -> (version: Int, text: String) {
        try store.read { try access.schema(for: member, in: $0) }
    }

    /// Publishes a schema file, and ends the waiting pulls of the scope with its version.
    package func publishSchema(_ text: String, by member: Principal) async throws -> Int {
        let candidate = try store.read { try access.schemaCandidate(text, by: member, in: $0) }
        return try await queue.commit { [access] in
            try access.publishSchema(candidate, by: member, in: $0)
        } then: { [self] _ in
            waitingRoom.wake(member.scope, .schema)
        }
    }

    /// Returns the facts about its own membership that a device may read.
    package func standing(of member: Principal) throws -> Standing {
        try store.read { snapshot in
            let scope = try access.scope(member.scope, snapshot)
            let replica = try access.member(member, atLeast: .viewer, to: "read the membership", in: snapshot)
            return Standing(
                scope: scope.id, scopeName: scope.name, replica: replica.id, role: replica.role,
                schemaVersion: scope.schemaVersion,
                lastPush: try snapshot.progress(of: replica.id, in: scope.key).number)
        }
    }
}
