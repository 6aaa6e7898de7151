/// One of the two concurrent halves of a session.
package enum SyncLane: String, Hashable, Sendable, CaseIterable {
    /// Seal, send, acknowledge.
    case push
    /// Pull, fetch the schema, apply.
    case pull
}
