package import RoostModel
package import RoostProtocol

extension AccessHandler {
    /// The replicas of the member's scope, revoked ones too, oldest first.
    package func devices(for principal: Principal, in snapshot: any StoreSnapshot) throws -> [Device] {
        let member = try member(principal, atLeast: .viewer, to: "list devices", in: snapshot)
        return try snapshot.replicas(of: member.scope).map { replica in
            Device(
                replica: replica.id, name: replica.name, role: replica.role, created: replica.created,
                lastSeen: replica.lastSeen, isRevoked: replica.isRevoked)
        }
    }

    /// Takes a replica's access away, from this transaction on; one that is revoked already stays so.
    package func revoke(_ id: ReplicaID, by principal: Principal, in transaction: any StoreTransaction) throws {
        let owner = try member(principal, atLeast: .owner, to: "revoke a device", in: transaction)
        var replica = try device(id, of: owner.scope, transaction)
        guard !replica.isRevoked else { return }
        try checkOwners(without: replica, to: "revoke the device", transaction)
        replica.isRevoked = true
        try transaction.update(replica)
    }

    /// Gives a replica another role, from this transaction on.
    package func setRole(
        _ role: Role, of id: ReplicaID, by principal: Principal, in transaction: any StoreTransaction
    ) throws {
        let owner = try member(principal, atLeast: .owner, to: "change a role", in: transaction)
        var replica = try device(id, of: owner.scope, transaction)
        guard !replica.isRevoked else {
            throw ProtocolError(.notFound, "Cannot change the role: the device is revoked. Invite it anew.")
        }
        if role < .owner { try checkOwners(without: replica, to: "lower the device's role", transaction) }
        replica.role = role
        try transaction.update(replica)
    }

    private func device(
        _ id: ReplicaID, of scope: ScopeKey, _ snapshot: any StoreSnapshot
    ) throws -> StoredReplica {
        guard let replica = try snapshot.replica(id, in: scope) else {
            throw ProtocolError(
                .notFound, "Cannot find the device: this scope has none with that id. List the devices.")
        }
        return replica
    }

    private func checkOwners(
        without replica: StoredReplica, to action: String, _ snapshot: any StoreSnapshot
    ) throws {
        guard replica.role == .owner else { return }
        let others = try snapshot.replicas(of: replica.scope).contains {
            $0.role == .owner && !$0.isRevoked && $0.id != replica.id
        }
        guard others else {
            throw ProtocolError(
                .lastOwner, "Cannot \(action): it is the scope's last owner. Make another device an owner first.")
        }
    }
}
