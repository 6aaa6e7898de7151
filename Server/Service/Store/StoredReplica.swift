package import RoostModel
package import RoostProtocol

/// A replica's membership of a scope.
package struct StoredReplica: Hashable, Sendable {
    package var id: ReplicaID
    package var scope: ScopeKey
    /// The name that its user gave the device.
    package var name: String
    package var role: Role
    /// The time of registration, in milliseconds since 1970.
    package var created: UInt64
    /// The time of the last use, in milliseconds since 1970, rounded down to the hour.
    package var lastSeen: UInt64
    package var isRevoked: Bool
    /// The first replica of its device: itself, unless it is a renewal. A device has one slot, one role and one revocation,
    /// however many replicas were registered for it. It does not change.
    package let device: ReplicaID
    /// The device whose invite this device used to join; `nil` for a scope's first device, and for one that an earlier
    /// server admitted. It does not change.
    package let inviter: ReplicaID?
    /// The sequence up to which, by its pulls, the replica has everything; `nil` before its first pull.
    package var cursor: UInt64?
    /// The time of the last recorded pull, in milliseconds since 1970; 0 before the first.
    package var pulled: UInt64 = 0

    package init(
        id: ReplicaID, scope: ScopeKey, name: String, role: Role, created: UInt64, lastSeen: UInt64,
        isRevoked: Bool = false, device: ReplicaID? = nil, inviter: ReplicaID? = nil
    ) {
        self.id = id
        self.scope = scope
        self.name = name
        self.role = role
        self.created = created
        self.lastSeen = lastSeen
        self.isRevoked = isRevoked
        self.device = device ?? id
        self.inviter = inviter
    }
}
