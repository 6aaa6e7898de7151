internal import RoostModel
internal import RoostProtocol
internal import Transport

/// Requests of owners about a scope's devices and invites.
extension ServerClient {
    /// - Returns: The devices that joined with its invites, and keep their access.
    nonisolated(nonsending) func revoke(_ device: ReplicaID, withInvited: Bool) async throws(ServerFailure) -> [Device]
    {
        // A server of an earlier version reads no body.
        let body: JSONValue? = withInvited ? .members(("withInvited", .boolean(true))) : nil
        let value = try await json(.post, "/v1/devices/\(device)/revoke", body)
        return try decode(value) { value throws(CodingError) in
            var devices: [Device] = []
            for item in value["invited"]?.arrayValue ?? [] { devices.append(try Device(json: item)) }
            return devices
        }
    }

    nonisolated(nonsending) func setRole(_ role: String, of device: ReplicaID) async throws(ServerFailure) {
        _ = try await json(.post, "/v1/devices/\(device)/role", .members(("role", .string(role))))
    }

    nonisolated(nonsending) func invites() async throws(ServerFailure) -> [Invite] {
        let value = try await json(.get, "/v1/invites", nil)
        return try decode(value) { value throws(CodingError) in
            var invites: [Invite] = []
            for item in value["invites"]?.arrayValue ?? [] { invites.append(try Invite(json: item)) }
            return invites
        }
    }

    nonisolated(nonsending) func revokeInvite(_ id: String) async throws(ServerFailure) {
        _ = try await json(.delete, "/v1/invites/\(id)", nil)
    }

    /// - Parameters:
    ///   - proposed: The token to use from now on. A server of an earlier version chooses one itself.
    ///   - former: SHA-256 of tokens of earlier identities, 64 at most, which are ended. A server of an earlier version ignores them.
    /// - Returns: The new token.
    nonisolated(nonsending) func rotateToken(
        to proposed: String, endingAlso former: [[UInt8]]
    ) async throws(ServerFailure) -> String {
        let hashes = former.isEmpty ? nil : JSONValue.array(former.map { .string(Hex.encode($0)) })
        let value = try await json(
            .post, "/v1/token/rotate", .members(("token", .string(proposed)), ("former", hashes)))
        guard let token = value["token"]?.stringValue else {
            throw .invalidReply("The server's answer has no token.")
        }
        guard Registration.isDeviceToken(token) else {
            throw .invalidReply("The server's answer has a token that is none of a device (protocol.md §8.3).")
        }
        return token
    }

    /// Asks which token the server knows, without revealing any. The request carries no token.
    ///
    /// - Parameter hashes: SHA-256 of each token, 64 at most.
    /// - Returns: The index of the first token that the server knows.
    nonisolated(nonsending) func known(_ hashes: [[UInt8]]) async throws(ServerFailure) -> Int? {
        let body = JSONValue.members(("hashes", .array(hashes.map { .string(Hex.encode($0)) })))
        return try await json(.post, "/v1/token/known", body)["known"]?.integerValue.flatMap { Int(exactly: $0) }
    }
}
