package import RoostModel
package import RoostProtocol

extension AccessHandler {
    /// The replicas of the member's scope, revoked ones too, oldest first.
    package func devices(for principal: Principal, in snapshot: any StoreSnapshot) throws -> [Device] {
        let member = try member(principal, atLeast: .viewer, to: "list devices", in: snapshot)
        return try snapshot.replicas(of: member.scope).map { Device($0) }
    }

    /// Whose access a revocation took away, and who came in through what it took away.
    package struct Revocation: Sendable {
        package let replicas: [ReplicaID]
        /// Devices that joined with an invite of the revoked ones and keep their access.
        package let invited: [Device]
    }

    /// Takes a device's access away, from this transaction on: that of all its replicas, and the open invites that it made. One that is
    /// revoked already stays so.
    ///
    /// - Parameters:
    ///   - id: Any replica of the device.
    ///   - withInvited: Whether devices that joined with its invites go with it, and those that joined with theirs; never the caller's own.
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

    /// Revokes all replicas of some devices, and every open invite that they made.
    ///
    /// An invite whose maker is not known, from a server that did not note it, goes with any owner.
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

    /// Gives a device another role, from this transaction on: all its replicas. One that may not invite any more takes its open invites
    /// with it.
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
