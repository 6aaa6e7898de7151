public import Replica
public import RoostModel
internal import RoostProtocol
internal import Transport

/// Devices, invites and tokens of the scope that a replica belongs to.
extension Connection {
    /// Lists the scope's devices, revoked ones too, oldest first.
    ///
    /// - Throws: ``RoostError``.
    public static func devices(_ replica: Replica) async throws -> [ScopeDevice] {
        let devices = try await asking(replica, "list the devices") { client throws(ServerFailure) in
            try await client.devices()
        }
        return devices.map { ScopeDevice($0) }
    }

    /// Takes a device's access away: that of all its replicas, and the open invites that it made. What it has, it keeps.
    ///
    /// - Parameters:
    ///   - device: Any replica of the device.
    ///   - replica: A replica of an owner of the scope.
    ///   - includingInvited: Whether devices that joined with its invites go with it, and those that joined with theirs; never the caller's
    ///     own. `false` unless said otherwise.
    /// - Returns: The devices that joined with the invites of the revoked ones, and keep their access.
    /// - Throws: ``RoostError``, with the code `notPermitted` for a role that may not revoke; nothing was changed then. Revoking twice does
    ///   no harm.
    @discardableResult
    public static func revoke(
        _ device: ReplicaID, with replica: Replica, includingInvited: Bool = false
    ) async throws -> [ScopeDevice] {
        let invited = try await asking(replica, "revoke the device") { client throws(ServerFailure) in
            try await client.revoke(device, withInvited: includingInvited)
        }
        return invited.map { ScopeDevice($0) }
    }

    /// Gives a device another role, all its replicas alike. One that is an owner no more takes its open invites with it.
    ///
    /// - Parameters:
    ///   - role: `viewer`, `editor` or `owner`.
    ///   - device: Any replica of the device.
    ///   - replica: A replica of an owner of the scope.
    /// - Throws: ``RoostError``, with the code `notPermitted` for a role that may not change roles; nothing was changed then.
    public static func setRole(_ role: String, of device: ReplicaID, with replica: Replica) async throws {
        try await asking(replica, "change the role") { client throws(ServerFailure) in
            try await client.setRole(role, of: device)
        }
    }

    /// Lists the scope's open invites, oldest first.
    ///
    /// - Parameter replica: A replica of an owner of the scope.
    /// - Throws: ``RoostError``, with the code `notPermitted` for a role that may not see them.
    public static func invites(_ replica: Replica) async throws -> [ScopeInvite] {
        let invites = try await asking(replica, "list the invites") { client throws(ServerFailure) in
            try await client.invites()
        }
        return invites.map {
            ScopeInvite(
                id: $0.id, role: $0.role.rawValue, expires: Int64(clamping: $0.expires), usesLeft: $0.usesLeft)
        }
    }

    /// Revokes an invite: nobody can join with it any more. Devices that have joined stay.
    ///
    /// - Parameters:
    ///   - id: As ``invites(_:)`` has it.
    ///   - replica: A replica of an owner of the scope.
    /// - Throws: ``RoostError``; nothing was changed then. Taking one back twice does no harm.
    public static func revokeInvite(_ id: String, with replica: Replica) async throws {
        let action = "take the invite back"
        // It becomes part of a path.
        guard !id.isEmpty, id.utf8.allSatisfy({ Self.isHexadecimal($0) }) else {
            throw RoostError(
                .invalidArgument,
                "Cannot \(action): its name is not one that \"roost invites\" lists. Copy it from there.")
        }
        try await asking(replica, action) { client throws(ServerFailure) in try await client.revokeInvite(id) }
    }

    /// Replaces the replica's token, as after somebody may have seen it. The old one works until the new one is used, which is the next
    /// synchronisation, or for 24 hours.
    ///
    /// Tokens of earlier identities of the file, which its token file has as well, let nobody in any more on this server. A copy of the
    /// file that still uses one of them has to join again.
    ///
    /// The new token is stored before the server is asked. If its answer is lost, the next synchronisation finds out whether it has the
    /// new one.
    ///
    /// No other program may keep the replica synchronised meanwhile: it would go on with the old token, and the server takes that for a
    /// theft.
    ///
    /// - Throws: ``RoostError``, with the code `busy` where another program keeps the replica synchronised; the token is the old one then,
    ///   and works. With the code `unavailable` it may have been replaced.
    public static func rotateToken(_ replica: Replica) async throws {
        let action = "replace the token"
        _ = try connected(replica, action)
        let lease = try lease(on: replica, action)
        try await settleRotation(of: replica, action)
        let proposed = DeviceToken.random()
        let membership = try connected(replica, action)
        let address = try address(membership.server, action)
        // A reader of the token file has seen them too.
        let earlier = try replica.earlierTokens().filter { $0 != membership.token }
        let former = earlier.prefix(SyncDriver.TokenSearch.countMax).map { SHA256Digest.of(Array($0.utf8)) }
        try replica.prepareToken(proposed)
        let token: String
        do {
            token = try await request(address, token: membership.token, action) { client throws(ServerFailure) in
                try await client.rotateToken(to: proposed, endingAlso: former)
            }
        } catch let error as RoostError where error.serverCode != nil && error.code != .unavailable {
            try replica.dropToken(proposed)
            throw error
        }
        // An earlier server has chosen one itself.
        try withExtendedLifetime(lease) { try replica.setToken(token) }
    }

    /// Finds out what became of a rotation whose answer was lost.
    private static func settleRotation(of replica: Replica, _ action: String) async throws {
        guard try replica.earlierToken() != nil, let token = try replica.membership()?.token else { return }
        do {
            _ = try await asking(replica, action) { client throws(ServerFailure) in try await client.devices() }
            try replica.settleToken()
        } catch let error as RoostError where error.serverCode == "unauthorized" {
            try replica.dropToken(token)
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    static func asking<Reply: Sendable>(
        _ replica: Replica, _ action: String, _ body: @Sendable (ServerClient) async throws(ServerFailure) -> Reply
    ) async throws -> Reply {
        let membership = try connected(replica, action)
        do {
            return try await request(try address(membership.server, action), token: membership.token, action, body)
        } catch let error as RoostError where error.serverCode == ErrorCode.unauthorized.rawValue {
            guard try replica.earlierTokens().contains(where: { $0 != membership.token }) else { throw error }
            throw RoostError(
                error.code,
                "\(error) Synchronise first: a server that was restored may know this replica by an earlier token.",
                serverCode: error.serverCode)
        }
    }
}

extension ScopeDevice {
    init(_ device: Device) {
        self.init(
            replica: device.replica, name: device.name, role: device.role.rawValue,
            created: Int64(clamping: device.created), lastSeen: Int64(clamping: device.lastSeen),
            isRevoked: device.isRevoked, renewalOf: device.device, invitedBy: device.inviter)
    }
}
