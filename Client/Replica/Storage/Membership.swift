public import RoostModel

/// The registration of a replica in a scope on a server.
public struct Membership: Hashable, Sendable {
    /// The scope that the replica holds.
    public var scope: ScopeID
    /// The scope's name as given at its creation; for users.
    public var scopeName: String
    /// The identity of the replica on the server. The stamps of its changes contain it.
    public var replica: ReplicaID
    /// The server's address.
    public var server: String
    /// The device token, a secret that is stored in a file next to the replica's. Empty where that file is missing: the replica
    /// cannot be synchronised until it joins the scope again.
    public var token: String
    /// The role that an owner has given this device, as the server last said.
    public var role: ScopeRole
    /// The name of this device, as other devices show it.
    public var deviceName: String

    /// Whether there is a token to authenticate with.
    public var hasCredentials: Bool { !token.isEmpty }

    /// The scope and server for which a join or renewal made the token.
    var tokenPlace: TokenScope? { TokenScope(scope: scope.description, server: server) }

    /// Makes a membership. The server accepts only the values that it returned at registration.
    public init(
        scope: ScopeID, scopeName: String, replica: ReplicaID, server: String, token: String, role: ScopeRole,
        deviceName: String
    ) {
        self.scope = scope
        self.scopeName = scopeName
        self.replica = replica
        self.server = server
        self.token = token
        self.role = role
        self.deviceName = deviceName
    }
}
