public import RoostModel

/// A replica's place in a scope on a server.
public struct Membership: Hashable, Sendable {
    /// The scope that the replica holds.
    public var scope: ScopeID
    /// The scope's name, as it was made with; for people.
    public var scopeName: String
    /// The identity under which the server knows the replica; the stamps of its changes have it.
    public var replica: ReplicaID
    /// The server's address.
    public var server: String
    /// The device token: a secret, which is in a file next to the replica's. Empty where that is missing: nothing can be synchronised until
    /// the file joins again.
    public var token: String
    /// `viewer`, `editor` or `owner`.
    public var role: String
    /// This device's name, as others see it.
    public var deviceName: String

    /// Whether there is a token to speak to the server with.
    public var hasCredentials: Bool { !token.isEmpty }

    /// The join or renewal that made the token.
    var tokenPlace: TokenPlace? { TokenPlace(scope: scope.description, server: server) }

    /// Makes a membership. Only what the server gave at registration works.
    public init(
        scope: ScopeID, scopeName: String, replica: ReplicaID, server: String, token: String, role: String,
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
