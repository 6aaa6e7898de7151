internal import RoostModel

/// A stable code of the protocol. Clients branch on the code, never on the text or the status (protocol.md §9).
package struct ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    // Compares bytes: a server may send any text.
    package static func == (left: ErrorCode, right: ErrorCode) -> Bool { left.rawValue.isSameText(as: right.rawValue) }
    package func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }

    package var description: String { rawValue }

    /// The body, a parameter or a header is malformed.
    package static let badRequest = ErrorCode(rawValue: "bad_request")
    /// The request has no token, or its token is unknown, revoked or expired.
    package static let unauthorized = ErrorCode(rawValue: "unauthorized")
    /// The access of this replica was revoked.
    package static let revoked = ErrorCode(rawValue: "revoked")
    /// The member's role does not allow the request.
    package static let forbidden = ErrorCode(rawValue: "forbidden")
    package static let notFound = ErrorCode(rawValue: "not_found")
    package static let methodNotAllowed = ErrorCode(rawValue: "method_not_allowed")
    package static let unsupportedMediaType = ErrorCode(rawValue: "unsupported_media_type")
    /// A body, a push, a record or a name exceeds its limit.
    package static let tooLarge = ErrorCode(rawValue: "too_large")
    /// The client sent too many requests; `retryAfter` says when to try again.
    package static let tooManyRequests = ErrorCode(rawValue: "too_many_requests")
    /// The scope is at its limit of records, bytes, replicas or invites.
    package static let quotaExceeded = ErrorCode(rawValue: "quota_exceeded")
    /// A stamp is more than five minutes ahead of the server's clock.
    package static let clockAhead = ErrorCode(rawValue: "clock_ahead")
    /// The stamps of a push do not increase.
    package static let stampsNotIncreasing = ErrorCode(rawValue: "stamps_not_increasing")
    /// A stamp carries another replica's id.
    package static let foreignStamp = ErrorCode(rawValue: "foreign_stamp")
    /// The push number was used already for another push: the replica file was copied or restored.
    package static let replicaForked = ErrorCode(rawValue: "replica_forked")
    /// A push number is missing: the server was restored from a backup.
    package static let serverRolledBack = ErrorCode(rawValue: "server_rolled_back")
    /// The checkpoint is not from the history of this server.
    package static let historyChanged = ErrorCode(rawValue: "history_changed")
    /// The replica was away for longer than the horizon.
    package static let resyncRequired = ErrorCode(rawValue: "resync_required")
    /// The push edits a record that has been purged.
    package static let gone = ErrorCode(rawValue: "gone")
    /// The request brings records back to a scope that has lost none.
    package static let notRecovering = ErrorCode(rawValue: "not_recovering")
    /// The bytes of a put are not a valid `Put` message, or exceed the limits of a record.
    package static let malformedPut = ErrorCode(rawValue: "malformed_put")
    /// The invite was used, has expired or was revoked.
    package static let inviteUsed = ErrorCode(rawValue: "invite_used")
    /// The schema is not a valid successor of the one in force.
    package static let schemaConflict = ErrorCode(rawValue: "schema_conflict")
    package static let schemaInvalid = ErrorCode(rawValue: "schema_invalid")
    /// The last owner cannot leave or lose the role.
    package static let lastOwner = ErrorCode(rawValue: "last_owner")
    /// The server's disk is full or failing, or its data is corrupt. Nothing was stored.
    package static let storageUnavailable = ErrorCode(rawValue: "storage_unavailable")
    /// The server is stopping.
    package static let stopping = ErrorCode(rawValue: "stopping")
    package static let internalError = ErrorCode(rawValue: "internal_error")

    /// The codes of this version.
    private static let known: Set<ErrorCode> = [
        .badRequest, .unauthorized, .revoked, .forbidden, .notFound, .methodNotAllowed, .unsupportedMediaType,
        .tooLarge,
        .tooManyRequests, .quotaExceeded, .clockAhead, .stampsNotIncreasing, .foreignStamp, .replicaForked,
        .serverRolledBack, .historyChanged, .resyncRequired, .gone, .notRecovering, .malformedPut, .inviteUsed,
        .schemaConflict, .schemaInvalid, .lastOwner, .storageUnavailable, .stopping, .internalError,
    ]

    /// Whether this version has the code. A client handles an unknown code by the reply's status (protocol.md §9).
    package var isKnown: Bool { Self.known.contains(self) }

    /// Whether the request may be resent later, unchanged.
    package var isRetryable: Bool {
        [.tooManyRequests, .storageUnavailable, .stopping, .internalError].contains(self)
    }
}

/// A refusal of a whole request, as sent in an error body.
package struct ProtocolError: Error, Hashable, Sendable, CustomStringConvertible {
    package var code: ErrorCode
    /// The message for people: what could not be done, why, and what to do next.
    package var message: String
    /// Milliseconds since 1970 by the server's clock.
    package var serverTime: UInt64?
    /// The number of seconds to wait before trying again.
    package var retryAfter: Int?
    package var requestID: String?

    package init(
        _ code: ErrorCode, _ message: String, serverTime: UInt64? = nil, retryAfter: Int? = nil,
        requestID: String? = nil
    ) {
        self.code = code
        self.message = message
        self.serverTime = serverTime
        self.retryAfter = retryAfter
        self.requestID = requestID
    }

    package var description: String { "\(message) (\(code))" }
}
