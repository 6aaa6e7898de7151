internal import RoostModel
package import RoostProtocol

extension AccessHandler {
    /// Creates an invite into the member's scope.
    ///
    /// - Parameters:
    ///   - hours: The hours during which it can be redeemed; ``Limits/inviteHoursDefault`` if `nil`.
    ///   - uses: The number of devices that may redeem it.
    /// - Returns: The invite with its token, which is returned only once.
    package func createInvite(
        role: Role, hours: Int?, uses: Int, by principal: Principal, in transaction: any StoreTransaction, now: UInt64
    ) throws -> Invite {
        let inviter = try member(principal, atLeast: .owner, to: "invite", in: transaction)
        guard role <= inviter.role else {
            throw ProtocolError(.forbidden, "Cannot invite \(role.withArticle): that is more than this device is.")
        }
        let hours = hours ?? limits.inviteHoursDefault
        guard (1...limits.inviteHoursMax).contains(hours), (1...limits.replicasPerScopeMax).contains(uses) else {
            throw ProtocolError(
                .badRequest,
                "Cannot invite for \(hours) hours and \(uses) uses: expected 1 to \(limits.inviteHoursMax) hours and 1 to "
                    + "\(limits.replicasPerScopeMax) uses.")
        }
        let all = try transaction.invites(of: inviter.scope)
        let open = all.count { $0.isOpen(at: now) }
        guard open < limits.openInvitesPerScopeMax else {
            throw ProtocolError(
                .quotaExceeded,
                "Cannot invite: \(open) invites are open, the limit is \(limits.openInvitesPerScopeMax). Revoke one.")
        }
        // Closed invites are kept only so that a caller who redeems one again gets a precise error.
        for old in all.filter({ !$0.isOpen(at: now) }).dropLast(Self.closedInvitesMax) {
            try transaction.removeInvite(old.hash)
        }
        let token = token(.invite, of: random.bytes(32))
        let invite = StoredInvite(
            hash: token.hash, scope: inviter.scope, id: Hex.encode(random.bytes(8)), role: role,
            expires: now + UInt64(hours) * 3_600_000, usesLeft: uses, created: now, creator: inviter.device)
        try transaction.put(invite)
        return Invite(invite, token: token.text)
    }

    /// The maximum number of used, expired and revoked invites of a scope that are kept.
    private static let closedInvitesMax = 100

    /// Lists the invites of the member's scope that can still be redeemed.
    package func invites(for principal: Principal, in snapshot: any StoreSnapshot, now: UInt64) throws -> [Invite] {
        let owner = try member(principal, atLeast: .owner, to: "list invites", in: snapshot)
        return try snapshot.invites(of: owner.scope).filter { $0.isOpen(at: now) }.map { Invite($0, token: nil) }
    }

    /// Revokes an invite. Revoking it again changes nothing.
    package func revokeInvite(_ id: String, by principal: Principal, in transaction: any StoreTransaction) throws {
        let owner = try member(principal, atLeast: .owner, to: "revoke an invite", in: transaction)
        guard var invite = try transaction.invites(of: owner.scope).first(where: { $0.id.isSameText(as: id) }) else {
            throw ProtocolError(
                .notFound, "Cannot revoke the invite: this scope has none with that id. List the invites.")
        }
        invite.isRevoked = true
        try transaction.put(invite)
    }
}

extension Invite {
    init(_ stored: StoredInvite, token: String?) {
        self.init(id: stored.id, token: token, role: stored.role, expires: stored.expires, usesLeft: stored.usesLeft)
    }
}
