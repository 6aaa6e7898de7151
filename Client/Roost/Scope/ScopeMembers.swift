public import RoostModel

/// A device of a scope, as the server lists it. A device whose file was copied or restored may have several replicas. They are listed one
/// by one, and are revoked and given a role together.
public struct ScopeDevice: Hashable, Sendable {
    /// The replica that stamps of changes name.
    public var replica: ReplicaID
    /// The name that its user gave it. It comes from another device: escape it for a terminal.
    public var name: String
    /// Its permissions.
    public var role: ScopeRole
    /// Time of its join or renewal, in milliseconds since 1970.
    public var created: Int64
    /// Time of its last request, in milliseconds since 1970, rounded down to the hour.
    public var lastSeen: Int64
    /// Whether its access was revoked.
    public var isRevoked: Bool
    /// The device's first replica, where this one is a renewal of it.
    public var renewalOf: ReplicaID?
    /// The device whose invite it joined with; `nil` where the server does not know.
    public var invitedBy: ReplicaID?
}

/// An open invite of a scope, without its token, which is shown only once.
public struct ScopeInvite: Hashable, Sendable {
    /// The identifier that ``Scope/revokeInvite(_:)`` takes; not a secret.
    public var id: String
    /// The role that it gives.
    public var role: ScopeRole
    /// Time of its expiry, in milliseconds since 1970.
    public var expires: Int64
    /// The number of devices that may still join with it.
    public var usesLeft: Int
}
