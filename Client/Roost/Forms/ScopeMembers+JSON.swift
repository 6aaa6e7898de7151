package import RoostModel

extension ScopeDevice {
    /// The device as a JSON object, for programs. Times are milliseconds since 1970.
    package var json: JSONValue {
        .members(
            ("replica", .string(replica.description)), ("name", .string(name)), ("role", .string(role.rawValue)),
            ("created", .integer(created)), ("lastSeen", .integer(lastSeen)),
            ("revoked", isRevoked ? .boolean(true) : nil),
            ("renewalOf", renewalOf.map { .string($0.description) }),
            ("invitedBy", invitedBy.map { .string($0.description) }))
    }
}

extension ScopeInvite {
    /// The invite as a JSON object, for programs. The time is milliseconds since 1970.
    package var json: JSONValue {
        .members(
            ("id", .string(id)), ("role", .string(role.rawValue)), ("expires", .integer(expires)),
            ("usesLeft", .integer(usesLeft)))
    }
}
