package import RoostModel

/// JSON is the only encoding of messages about scopes, members and invites: they are few, small, and read by people.
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
            scopeName: ShortText.name(try reader.text("scopeName")),
            replica: try reader.value("replica", "16 hexadecimal digits") { $0.stringValue.flatMap { ReplicaID($0) } },
            token: try reader.value("token", "a device token (protocol.md §8.3)") {
                $0.stringValue.flatMap { Self.isDeviceToken($0) ? $0 : nil }
            },
            role: try reader.value("role", "a role") { $0.stringValue.flatMap { Role(foreign: $0) } },
            schema: try reader.text("schema"), serverTime: try reader.number("serverTime"))
    }

    /// Whether a text has the form of a device's token: `roost_d_` and 36 letters and digits. Any other text cannot be sent
    /// as a header field, or is no secret of its own.
    package static func isDeviceToken(_ text: String) -> Bool {
        let prefix = "roost_d_".utf8
        return text.utf8.starts(with: prefix) && text.utf8.count == prefix.count + 36
            && text.utf8.dropFirst(prefix.count).allSatisfy(isLetterOrDigit)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
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
            name: ShortText.name(try reader.text("name")),
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
