package import RoostProtocol

/// The reason why the session does not retry: action of the user, or of the program that drives it, is required.
///
/// The outbox is kept in all cases.
package struct StopReason: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// This device's access was revoked.
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
        /// The device was offline for longer than the horizon.
        case resyncRequired
        /// The replica still differs from the server after full resynchronisations.
        case digestDiffers
        case tlsUntrusted
        /// The replica's file is corrupt, and the session cannot repair it.
        case replicaDamaged
        /// The replica has to be migrated to a later version of its schema, or opened again after another program did so.
        case schemaOutdated
        /// The changes were restamped and are still ahead of the server's clock.
        case clockAhead
        case quotaExceeded
        case tooLarge
        /// The two sides do not understand each other: another version, or a defect in one of them.
        case incompatible

        /// Whether the reason comes from the server, or from a program in its place, and not from the replica's own file.
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
    /// The failed operation, the reason, and the next step for the user.
    package let message: String
    /// The server's error code; `nil` where the reason does not come from a server.
    package let code: ErrorCode?

    package init(_ kind: Kind, _ message: String, code: ErrorCode? = nil) {
        self.kind = kind
        self.message = message
        self.code = code
    }

    package var description: String { message }
}
