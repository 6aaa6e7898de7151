package import RoostModel
package import RoostProtocol

/// Who a token stands for.
package struct Principal: Hashable, Sendable {
    package var scope: ScopeKey
    package var scopeID: ScopeID
    package var replica: ReplicaID
    /// As it was when the token was looked up; what decides is looked up again inside the transaction.
    package var role: Role

    package init(scope: ScopeKey, scopeID: ScopeID, replica: ReplicaID, role: Role) {
        self.scope = scope
        self.scopeID = scopeID
        self.replica = replica
        self.role = role
    }
}
