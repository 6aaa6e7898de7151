package import RoostModel
package import RoostProtocol

/// What a device may know of its own membership.
package struct Standing: Hashable, Sendable {
    package var scope: ScopeID
    package var scopeName: String
    package var replica: ReplicaID
    package var role: Role
    package var schemaVersion: Int
    /// The number of its last push that was taken in; 0 before the first.
    package var lastPush: UInt64
}
