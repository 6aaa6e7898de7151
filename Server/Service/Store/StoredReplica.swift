package import RoostModel
package import RoostProtocol

/// A replica's membership of a scope.
package struct StoredReplica: Hashable, Sendable {
    package var id: ReplicaID
    package var scope: ScopeKey
    /// The name its user gave the device.
    package var name: String
    package var role: Role
    /// Milliseconds since 1970.
    package var created: UInt64
    /// Milliseconds since 1970, rounded down to the hour.
    package var lastSeen: UInt64
    package var isRevoked: Bool
    /// The sequence up to which its pulls show that it has everything; `nil` before its first pull.
    package var cursor: UInt64?
    /// Milliseconds since 1970 of the last pull that is noted here; 0 before the first.
    package var pulled: UInt64 = 0

    package init(
        id: ReplicaID, scope: ScopeKey, name: String, role: Role, created: UInt64, lastSeen: UInt64,
        isRevoked: Bool = false
    ) {
        self.id = id
        self.scope = scope
        self.name = name
        self.role = role
        self.created = created
        self.lastSeen = lastSeen
        self.isRevoked = isRevoked
    }
}
