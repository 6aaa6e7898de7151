package import RoostProtocol

/// The failure of an action, in the categories that the session distinguishes.
///
/// A message is shown to users. It names the failed operation, the reason, and the next step.
package enum SyncFailure: Error, Hashable, Sendable {
    /// No connection, or it broke.
    case unreachable(message: String)
    case timedOut(message: String)
    /// A body was sent, at least in part, without an answer. The server may have stored it.
    case interrupted(message: String)
    /// A proxy on the way to the server refuses a body of this size.
    case bodyRefused(message: String)
    /// The server's certificate is not trusted.
    case untrusted(message: String)
    /// The answer is not that of a Roost server, or is too large: a captive portal, a proxy, a broken server.
    case invalidReply(message: String)
    /// The server's data exceeds a limit of this device.
    case limitReached(StopReason)
    /// The server's error body.
    case refused(ProtocolError)
    /// The replica's file could not be read or written: locked, disk full.
    case replicaUnavailable(message: String)
    /// The replica's file is corrupt.
    case replicaDamaged(message: String)

    /// The replica's tables are of a version that may not synchronise: older than the scope demands, or migrated by another
    /// program.
    case schemaOutdated(message: String)

    /// Whether the server failed over the request without a reason.
    var isFault: Bool {
        guard case .refused(let error) = self else { return false }
        return error.code == .internalError
    }
}
