public import RoostModel
internal import RoostProtocol
internal import Transport

/// Invites to the scope. The caller has to be an owner.
extension Scope {
    /// Makes an invite, with whose link other devices join (``Replica/join(_:at:device:identifiers:durability:)``).
    ///
    /// If no reply comes, the server may have made an invite whose link nobody knows. It expires like any other.
    ///
    /// - Parameters:
    ///   - role: The role that devices join with.
    ///   - hours: The hours for which it is valid, 1 to 720.
    ///   - uses: The number of devices that may join with it, at least 1.
    /// - Returns: The link. It contains a secret: everyone who has it can join.
    /// - Throws: ``RoostError``, with the code `notPermitted` for a role that may not invite.
    public func invite(role: ScopeRole = .editor, hours: Int = 24, uses: Int = 1) async throws -> String {
        let action = "make an invite"
        let access = try replica.serverAccess(action)
        let invite = try await request(action) { client throws(ServerFailure) in
            try await client.invite(role: role.rawValue, hours: hours, uses: uses)
        }
        do {
            return try InviteLink(server: access.server, token: invite.token ?? "").link
        } catch {
            throw RoostError(.incompatible, "Cannot \(action): the server gave no usable token. \(error)")
        }
    }

    /// Lists the scope's open invites, oldest first.
    ///
    /// - Throws: ``RoostError``, with the code `notPermitted` for a role that may not list invites.
    public func invites() async throws -> [ScopeInvite] {
        let invites = try await request("list the invites") { client throws(ServerFailure) in
            try await client.invites()
        }
        return invites.map {
            ScopeInvite(
                id: $0.id, role: $0.role, expires: Int64(clamping: $0.expires), usesLeft: $0.usesLeft)
        }
    }

    /// Revokes an invite: no further device can join with it. Devices that have joined stay.
    ///
    /// Revoking an invite again has no effect.
    ///
    /// - Parameter id: The invite's ``ScopeInvite/id``, as ``invites()`` lists it.
    /// - Throws: ``RoostError``, with the code `invalidArgument` if `id` is not an invite's identifier, and `notPermitted` for a role that may not
    ///   revoke invites.
    public func revokeInvite(_ id: String) async throws {
        let action = "take the invite back"
        // It becomes part of a path.
        guard !id.isEmpty, id.utf8.allSatisfy({ Self.isHexadecimal($0) }) else {
            throw RoostError(
                .invalidArgument,
                "Cannot \(action): its name is not one that \"roost invites\" lists. Copy it from there.")
        }
        try await request(action) { client throws(ServerFailure) in try await client.revokeInvite(id) }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
