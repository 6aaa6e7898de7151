public import Replica
public import RoostModel
internal import RoostProtocol

/// The scope that a replica belongs to, as its server has it: devices and roles, invites, schema, digest.
///
///     let scope = replica.scope
///     let link = try await scope.invite(role: .editor, hours: 24, uses: 1)
///     for device in try await scope.devices() { print(device.name, device.role) }
///
/// Each method sends one request with the replica's token and waits for the reply. No method writes to the replica's file.
///
/// All methods throw a ``RoostError`` with the code `notConnected` if the replica belongs to no scope, and with the code `notPermitted` if
/// the replica's token is missing or the server refuses it. After `notPermitted` or `invalidArgument` nothing was changed. After
/// `unavailable` or `incompatible` the request may have taken effect.
public struct Scope: Sendable {
    let replica: Replica

    // MARK: Devices

    /// Lists the scope's devices, including revoked ones, oldest first.
    ///
    /// ``Replica/devices()`` has the names of devices that the file knows, without a request.
    ///
    /// - Throws: ``RoostError``.
    public func devices() async throws -> [ScopeDevice] {
        let devices = try await request("list the devices") { client throws(ServerFailure) in
            try await client.devices()
        }
        return devices.map { ScopeDevice($0) }
    }

    /// Revokes a device's access, for all its replicas, and the open invites that the device made. The device keeps the records that it
    /// has.
    ///
    /// Revoking a device again has no effect. The caller has to be an owner.
    ///
    /// - Parameters:
    ///   - device: Any replica of the device.
    ///   - includingInvited: Whether to revoke devices that joined with its invites as well, and those that joined with theirs; never the
    ///     caller's own. `false` by default.
    /// - Returns: The devices that joined with invites of the revoked devices and keep their access.
    /// - Throws: ``RoostError``, with the code `notPermitted` for a role that may not revoke.
    @discardableResult
    public func revoke(_ device: ReplicaID, includingInvited: Bool = false) async throws -> [ScopeDevice] {
        let invited = try await request("revoke the device") { client throws(ServerFailure) in
            try await client.revoke(device, withInvited: includingInvited)
        }
        return invited.map { ScopeDevice($0) }
    }

    /// Gives a device another role, for all its replicas. If the device was an owner, its open invites end.
    ///
    /// The caller has to be an owner.
    ///
    /// - Parameters:
    ///   - role: The new role.
    ///   - device: Any replica of the device.
    /// - Throws: ``RoostError``, with the code `notPermitted` for a role that may not change roles.
    public func setRole(_ role: ScopeRole, of device: ReplicaID) async throws {
        try await request("change the role") { client throws(ServerFailure) in
            try await client.setRole(role.rawValue, of: device)
        }
    }

    // MARK: Schema and digest

    /// Puts a schema in force in the scope. Devices are notified with their next pull, and continue with their own version until they
    /// are migrated; devices that join from then on get this one.
    ///
    /// Publishing the very text that is in force has no effect. The caller has to be an owner. The tables of the caller's replica are
    /// not migrated by this.
    ///
    /// - Parameter schema: Its version is one more than the version in force.
    /// - Throws: ``RoostError``, with the code `notPermitted` for a role that may not publish, and with the server code
    ///   `schema_conflict` or `schema_invalid` if the schema cannot follow the one in force.
    public func publish(_ schema: Schema) async throws {
        try await request("publish version \(schema.version) of the schema \"\(schema.name)\"") {
            client throws(ServerFailure) in
            try await client.publishSchema(schema.source)
        }
    }

    /// Asks the server for its digest of the scope. A replica with the same ``Replica/digest()`` has the same records.
    ///
    /// - Returns: The present digest; `nil` if the server's reply has none.
    /// - Throws: ``RoostError``.
    public func digest() async throws -> ScopeDigest? {
        try await request("ask the server for its digest") { client throws(ServerFailure) in
            try await client.digest()
        }
    }

    /// Sends a request with the replica's token.
    ///
    /// - Throws: ``RoostError``. A refused token of a replica that has earlier ones leads to a hint to synchronise.
    func request<Reply: Sendable>(
        _ action: String, _ body: @Sendable (ServerClient) async throws(ServerFailure) -> Reply
    ) async throws -> Reply {
        let access = try replica.serverAccess(action)
        do {
            return try await access.request(action, body)
        } catch let error as RoostError where error.serverCode == ErrorCode.unauthorized.rawValue {
            guard try replica.earlierTokens().contains(where: { $0 != access.token }) else { throw error }
            throw RoostError(
                error.code,
                "\(error) Synchronise first: a server that was restored may know this replica by an earlier token.",
                serverCode: error.serverCode)
        }
    }
}

extension Replica {
    /// The replica's scope on its server. For a replica without a scope, its methods throw `notConnected`.
    public var scope: Scope { Scope(replica: self) }
}

extension ScopeDevice {
    init(_ device: Device) {
        self.init(
            replica: device.replica, name: device.name, role: device.role,
            created: Int64(clamping: device.created), lastSeen: Int64(clamping: device.lastSeen),
            isRevoked: device.isRevoked, renewalOf: device.device, invitedBy: device.inviter)
    }
}
