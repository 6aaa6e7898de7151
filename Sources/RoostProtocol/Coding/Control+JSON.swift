package import RoostModel

/// Messages about scopes, members and invites travel as JSON only: they are few, small, and read by people.
extension Registration {
    package var json: JSONValue {
        .members(
            ("scope", .string(scope.description)), ("scopeName", .string(scopeName)),
            ("replica", .string(replica.description)), ("token", .string(token)), ("role", .string(role.rawValue)),
            ("schema", .string(schema)), ("serverTime", .integer(serverTime)))
    }

    package init(json value: JSONValue) throws(CodingError) {
        let reader = try MemberReader(value, at: "The registration")
        self.init(
            scope: try reader.value("scope", "a UUID") { $0.stringValue.flatMap { ScopeID($0) } },
            scopeName: try reader.text("scopeName"),
            replica: try reader.value("replica", "16 hexadecimal digits") { $0.stringValue.flatMap { ReplicaID($0) } },
            token: try reader.text("token"),
            role: try reader.value("role", "a role") { $0.stringValue.flatMap { Role(foreign: $0) } },
            schema: try reader.text("schema"), serverTime: try reader.number("serverTime"))
    }
}

extension Invite {
    package var json: JSONValue {
        .members(
            ("id", .string(id)), ("token", token.map { .string($0) }), ("role", .string(role.rawValue)),
            ("expires", .integer(expires)), ("usesLeft", .integer(usesLeft)))
    }

    package init(json value: JSONValue) throws(CodingError) {
        let reader = try MemberReader(value, at: "The invite")
        self.init(
            id: try reader.text("id"), token: try reader.optional("token", "a string") { $0.stringValue },
            role: try reader.value("role", "a role") { $0.stringValue.flatMap { Role(foreign: $0) } },
            expires: try reader.number("expires"), usesLeft: Int(clamping: try reader.number("usesLeft")))
    }
}

extension Device {
    package var json: JSONValue {
        .members(
            ("replica", .string(replica.description)), ("name", .string(name)), ("role", .string(role.rawValue)),
            ("created", .integer(created)), ("lastSeen", .integer(lastSeen)),
            ("revoked", isRevoked ? .boolean(true) : nil), ("device", device.map { .string($0.description) }),
            ("invitedBy", inviter.map { .string($0.description) }))
    }

    package init(json value: JSONValue) throws(CodingError) {
        let reader = try MemberReader(value, at: "The device")
        self.init(
            replica: try reader.value("replica", "16 hexadecimal digits") { $0.stringValue.flatMap { ReplicaID($0) } },
            name: try reader.text("name"),
            role: try reader.value("role", "a role") { $0.stringValue.flatMap { Role(foreign: $0) } },
            created: try reader.number("created"), lastSeen: try reader.number("lastSeen"),
            isRevoked: try reader.optional("revoked", "true") { $0.booleanValue } ?? false,
            device: try reader.optional("device", "16 hexadecimal digits") { $0.stringValue.flatMap { ReplicaID($0) } },
            inviter: try reader.optional("invitedBy", "16 hexadecimal digits") {
                $0.stringValue.flatMap { ReplicaID($0) }
            })
    }
}

extension ProtocolError {
    /// The error body: `{"error": {…}}`.
    package var json: JSONValue {
        .members(
            (
                "error",
                .members(
                    ("code", .string(code.rawValue)), ("message", .string(message)),
                    ("serverTime", serverTime.map { .integer($0) }), ("retryAfter", retryAfter.map { .integer($0) }),
                    ("requestID", requestID.map { .string($0) }))
            ))
    }

    package init(json value: JSONValue) throws(CodingError) {
        let body = try MemberReader(value, at: "The body")
        let error = try MemberReader(try body.value("error", "an object") { $0 }, at: "\"error\"")
        self.init(
            ErrorCode(rawValue: try error.text("code")), try error.text("message"),
            serverTime: try error.optional("serverTime", "a number") {
                $0.integerValue.flatMap { UInt64(exactly: $0) }
            },
            retryAfter: try error.optional("retryAfter", "a number") { $0.integerValue.flatMap { Int(exactly: $0) } },
            requestID: try error.optional("requestID", "a string") { $0.stringValue })
    }
}
