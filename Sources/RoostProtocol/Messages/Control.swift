package import RoostModel

/// What a member may do.
package enum Role: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Pull.
    case viewer
    /// Pull and push.
    case editor
    /// Also invite, revoke, change roles and publish schema versions.
    case owner

    package static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .editor: 1
        case .owner: 2
        }
    }
}

/// A replica's membership of a scope, as given when it creates or joins one.
package struct Registration: Hashable, Sendable {
    package var scope: ScopeID
    package var scopeName: String
    package var replica: ReplicaID
    /// A secret; shown once.
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

/// An invite as its maker sees it.
package struct Invite: Hashable, Sendable {
    /// Names the invite for listing and revoking; not a secret.
    package var id: String
    /// The secret, present only in the answer that created it.
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
    /// The device's first replica, where this one is a renewal of it.
    package var device: ReplicaID?
    /// The device whose invite it joined with, where the server knows.
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
