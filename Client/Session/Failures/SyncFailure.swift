package import RoostProtocol

/// Why the driver could not do what an action asked for, in the categories that the session tells apart.
///
/// A message says what could not be done, why, and what to do next; it is shown to people.
package enum SyncFailure: Error, Hashable, Sendable {
    /// No connection, or it broke.
    case unreachable(message: String)
    case timedOut(message: String)
    /// A body was sent, at least in part, and no answer came: the server may have stored it.
    case interrupted(message: String)
    /// Something between here and the server takes no body of this size.
    case bodyRefused(message: String)
    /// The server's certificate is not trusted.
    case untrusted(message: String)
    /// What came is no answer of a Roost server, or is too large: a captive portal, a proxy, a broken server.
    case invalidReply(message: String)
    /// The server's data exceeds a limit of this device.
    case limitReached(StopReason)
    /// The server's error body.
    case refused(ProtocolError)
    /// The replica's file could not be read or written: locked, disk full.
    case replicaUnavailable(message: String)
    /// The replica's file is damaged.
    case replicaDamaged(message: String)

    /// The replica's tables are of a version that may not synchronise: older than the scope demands, or another program has
    /// migrated the file.
    case schemaOutdated(message: String)

    /// Whether the server failed over the request, without saying what is wrong with it.
    var isFault: Bool {
        guard case .refused(let error) = self else { return false }
        return error.code == .internalError
    }
}
