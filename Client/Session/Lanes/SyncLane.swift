/// One of the two things that a session does at once.
package enum SyncLane: String, Hashable, Sendable, CaseIterable {
    /// Seal, send, acknowledge.
    case push
    /// Pull, fetch the schema, apply.
    case pull
}
