package import RoostModel
package import RoostProtocol

extension AccessHandler {
    /// Lists the replicas of the member's scope, including revoked ones, oldest first.
    package func devices(for principal: Principal, in snapshot: any StoreSnapshot) throws -> [Device] {
        let member = try member(principal, atLeast: .viewer, to: "list devices", in: snapshot)
        return try snapshot.replicas(of: member.scope).map { Device($0) }
    }

    /// The result of a revocation: the revoked replicas, and the devices that they invited.
    package struct Revocation: Sendable {
        package let replicas: [ReplicaID]
        /// The devices that joined with an invite of the revoked ones and keep their access.
        package let invited: [Device]
    }

    /// Revokes a device, from this transaction on: all its replicas, and its open invites. Revoking it again changes
    /// nothing.
    ///
    /// - Parameters:
    ///   - id: Any replica of the device.
    ///   - withInvited: Whether to revoke also the devices that joined with its invites, and recursively those that joined
    ///     with theirs. The caller's own device is never revoked this way.
    package func revoke(
        _ id: ReplicaID, withInvited: Bool = false, by principal: Principal, in transaction: any StoreTransaction
    ) throws -> Revocation {
        let owner = try member(principal, atLeast: .owner, to: "revoke a device", in: transaction)
        let all = try transaction.replicas(of: owner.scope)
        let target = try device(id, all)
        var devices: Set = [target.device]
        if withInvited {
            var isGrowing = true
            while isGrowing {
                let more = all.filter { $0.inviter.map(devices.contains) ?? false }.map(\.device)
                let count = devices.count
                devices.formUnion(more.filter { $0 != owner.device })
                isGrowing = devices.count > count
            }
        }
        try checkOwners(besides: devices, all, to: "revoke the device")
        let revoked = try revoke(devices, all, in: transaction)
        let invited = all.filter { replica in
            !replica.isRevoked && replica.id == replica.device && !devices.contains(replica.device)
                && replica.inviter.map(devices.contains) ?? false
        }
        return Revocation(replicas: revoked, invited: invited.map { Device($0) })
    }

    /// Revokes all replicas of some devices, and all their open invites.
    ///
    /// An invite without a recorded creator, from an earlier server, is revoked with any owner.
    ///
    /// - Returns: The replicas that had access.
    func revoke(
        _ devices: Set<ReplicaID>, _ all: [StoredReplica], in transaction: any StoreTransaction
    ) throws -> [ReplicaID] {
        let replicas = all.filter { devices.contains($0.device) }
        for var replica in replicas where !replica.isRevoked {
            replica.isRevoked = true
            try transaction.update(replica)
            try transaction.removeStagedParts(of: replica.id, in: replica.scope)
        }
        guard let scope = replicas.first?.scope else { return [] }
        try revokeInvites(of: devices, hasOwner: replicas.contains { $0.role == .owner }, in: scope, transaction)
        return replicas.filter { !$0.isRevoked }.map(\.id)
    }

    private func revokeInvites(
        of devices: Set<ReplicaID>, hasOwner: Bool, in scope: ScopeKey, _ transaction: any StoreTransaction
    ) throws {
        for var invite in try transaction.invites(of: scope) where !invite.isRevoked && invite.usesLeft > 0 {
            guard invite.creator.map(devices.contains) ?? hasOwner else { continue }
            invite.isRevoked = true
            try transaction.put(invite)
        }
    }

    /// Changes the role of a device, from this transaction on: of all its replicas. If it may no longer invite, its open
    /// invites are revoked.
    package func setRole(
        _ role: Role, of id: ReplicaID, by principal: Principal, in transaction: any StoreTransaction
    ) throws {
        let owner = try member(principal, atLeast: .owner, to: "change a role", in: transaction)
        let all = try transaction.replicas(of: owner.scope)
        let target = try device(id, all)
        guard !target.isRevoked else {
            throw ProtocolError(.notFound, "Cannot change the role: the device is revoked. Invite it anew.")
        }
        if role < .owner {
            try checkOwners(besides: [target.device], all, to: "lower the device's role")
            if Self.isOwner(target.device, all) {
                try revokeInvites(of: [target.device], hasOwner: false, in: owner.scope, transaction)
            }
        }
        for var replica in all where replica.device == target.device {
            replica.role = role
            try transaction.update(replica)
        }
    }

    private func device(_ id: ReplicaID, _ all: [StoredReplica]) throws -> StoredReplica {
        guard let replica = all.first(where: { $0.id == id }) else {
            throw ProtocolError(
                .notFound, "Cannot find the device: this scope has none with that id. List the devices.")
        }
        return replica
    }

    private func checkOwners(besides devices: Set<ReplicaID>, _ all: [StoredReplica], to action: String) throws {
        guard devices.contains(where: { Self.isOwner($0, all) }), !Self.hasOwner(all, besides: devices) else { return }
        throw ProtocolError(
            .lastOwner, "Cannot \(action): it is the scope's last owner. Make another device an owner first.")
    }

    static func isOwner(_ device: ReplicaID, _ all: [StoredReplica]) -> Bool {
        all.contains { $0.device == device && $0.role == .owner && !$0.isRevoked }
    }

    static func hasOwner(_ all: [StoredReplica], besides devices: Set<ReplicaID>) -> Bool {
        all.contains { $0.role == .owner && !$0.isRevoked && !devices.contains($0.device) }
    }
}

extension Device {
    init(_ stored: StoredReplica) {
        self.init(
            replica: stored.id, name: stored.name, role: stored.role, created: stored.created,
            lastSeen: stored.lastSeen, isRevoked: stored.isRevoked,
            device: stored.device == stored.id ? nil : stored.device, inviter: stored.inviter)
    }
}
