package import RoostModel

/// The permissions of a member, as the protocol names them.
package typealias Role = ScopeRole

/// The membership of a replica in a scope, as the server returns it when the replica creates or joins the scope.
package struct Registration: Hashable, Sendable {
    package var scope: ScopeID
    package var scopeName: String
    package var replica: ReplicaID
    /// A secret that the server returns once.
    package var token: String
    package var role: Role
    /// The text of the scope's schema file.
    package var schema: String
    package var serverTime: UInt64

    package init(
        scope: ScopeID, scopeName: String, replica: ReplicaID, token: String, role: Role, schema: String,
        serverTime: UInt64
    ) {
        self.scope = scope
        self.scopeName = scopeName
        self.replica = replica
        self.token = token
        self.role = role
        self.schema = schema
        self.serverTime = serverTime
    }
}

/// An invite as its creator sees it.
package struct Invite: Hashable, Sendable {
    /// The identifier of the invite for listing and revoking. It is not a secret.
    package var id: String
    /// The secret, present only in the reply to the request that created the invite.
    package var token: String?
    package var role: Role
    /// Milliseconds since 1970.
    package var expires: UInt64
    package var usesLeft: Int

    package init(id: String, token: String?, role: Role, expires: UInt64, usesLeft: Int) {
        self.id = id
        self.token = token
        self.role = role
        self.expires = expires
        self.usesLeft = usesLeft
    }
}

/// A replica as the members of its scope see it.
package struct Device: Hashable, Sendable {
    package var replica: ReplicaID
    package var name: String
    package var role: Role
    /// Milliseconds since 1970.
    package var created: UInt64
    /// Milliseconds since 1970, rounded down to the hour.
    package var lastSeen: UInt64
    package var isRevoked: Bool
    /// The device's first replica, if this one is a renewal of it.
    package var device: ReplicaID?
    /// The device whose invite this device used to join, if the server has it.
    package var inviter: ReplicaID?

    package init(
        replica: ReplicaID, name: String, role: Role, created: UInt64, lastSeen: UInt64, isRevoked: Bool,
        device: ReplicaID? = nil, inviter: ReplicaID? = nil
    ) {
        self.replica = replica
        self.name = name
        self.role = role
        self.created = created
        self.lastSeen = lastSeen
        self.isRevoked = isRevoked
        self.device = device
        self.inviter = inviter
    }
}
