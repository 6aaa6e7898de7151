package import RoostProtocol

/// Why the session does not try again by itself: a person, or the program that drives it, has to do something first.
///
/// The outbox is kept whatever the reason.
package struct StopReason: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// This device's access was taken away.
        case revoked
        /// The token is not known: join again.
        case unauthorized
        /// The role does not allow it: a viewer has local changes.
        case forbidden
        case scopeNotFound
        /// The replica file was copied or restored: it needs a new identity.
        case forked
        /// The server was restored from a backup and misses pushes of this replica.
        case serverRolledBack
        /// The checkpoint is not from this server's history.
        case historyChanged
        /// Away for longer than the horizon.
        case resyncRequired
        /// The replica still differs from the server after it was built anew.
        case digestDiffers
        case tlsUntrusted
        /// The replica's file is damaged, and cannot be mended here.
        case replicaDamaged
        /// The replica has to be migrated to a later version of its schema, or opened again after somebody did.
        case schemaOutdated
        /// The changes were stamped anew and are still ahead of the server's clock.
        case clockAhead
        case quotaExceeded
        case tooLarge
        /// The two sides do not understand each other: another version, or a mistake in one of them.
        case incompatible

        /// Whether the server said so, or what stands in its place, and not the replica's own file.
        package var isRemote: Bool {
            switch self {
            case .revoked, .unauthorized, .forbidden, .scopeNotFound, .forked, .serverRolledBack, .historyChanged,
                .resyncRequired, .tlsUntrusted, .clockAhead, .quotaExceeded, .tooLarge, .incompatible:
                true
            case .digestDiffers, .replicaDamaged, .schemaOutdated: false
            }
        }
    }

    package let kind: Kind
    /// What could not be done, why, and what to do next.
    package let message: String
    /// The server's code, where a server said so.
    package let code: ErrorCode?

    package init(_ kind: Kind, _ message: String, code: ErrorCode? = nil) {
        self.kind = kind
        self.message = message
        self.code = code
    }

    package var description: String { message }
}
