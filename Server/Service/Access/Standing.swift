package import RoostModel
package import RoostProtocol

/// The facts about its own membership that a device may read.
package struct Standing: Hashable, Sendable {
    package var scope: ScopeID
    package var scopeName: String
    package var replica: ReplicaID
    package var role: Role
    package var schemaVersion: Int
    /// The number of its last accepted push; 0 before the first.
    package var lastPush: UInt64
}
