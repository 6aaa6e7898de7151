package import RoostModel
package import RoostProtocol

/// The member that a token identifies.
package struct Principal: Hashable, Sendable {
    package var scope: ScopeKey
    package var scopeID: ScopeID
    package var replica: ReplicaID
    /// The role when the token was looked up. The transaction looks it up again before it decides.
    package var role: Role

    package init(scope: ScopeKey, scopeID: ScopeID, replica: ReplicaID, role: Role) {
        self.scope = scope
        self.scopeID = scopeID
        self.replica = replica
        self.role = role
    }
}
