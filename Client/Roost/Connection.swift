internal import Foundation
public import Replica
public import RoostModel
internal import RoostProtocol
internal import Transport

/// Connects replicas to servers: scopes, invites, joining, and synchronising once.
public struct Connection {
    /// How many entities a file is made with in a moment: a scope of an earlier version may have more, and takes minutes.
    private static let entitiesMaxAtOnce = 500

    /// Makes a scope on a server out of a replica that no server knows yet, with this device as its owner.
    ///
    /// What the replica holds goes there with the next synchronisation.
    ///
    /// - Parameters:
    ///   - replica: One that belongs to no scope.
    ///   - name: The scope's name, as its members will see it.
    ///   - server: The server's address, `https://…`, or `http://` on this machine.
    ///   - adminToken: The server's admin token; it is not stored.
    ///   - device: This device's name, as others will see it.
    /// - Throws: ``RoostError``; the replica is unchanged.
    public static func createScope(
        _ replica: Replica, named name: String, server: String, adminToken: String, device: String
    ) async throws {
        let action = "make the scope \"\(name)\""
        guard try replica.membership() == nil else {
            throw RoostError(
                .invalidArgument,
                "Cannot \(action): the replica belongs to a scope already; \"roost status\" says which. If its server lost its "
                    + "data, make the scope there again with \"roost init --seed\".")
        }
        let address = try address(server, action)
        let nonce = try replica.joinNonce(for: "scope \(address) \(name) \(device)", fresh: nonce())
        let registration = try await request(address, token: adminToken, action) { client throws(ServerFailure) in
            try await client.createScope(name: name, device: device, schema: replica.schema.source, nonce: nonce)
        }
        try replica.join(membership(registration, server: address, device: device))
    }

    /// Makes a replica from an invite link. It is empty until the first synchronisation.
    ///
    /// - Parameters:
    ///   - link: What ``invite(_:role:hours:uses:)`` gave.
    ///   - path: Where the file goes; there must be none.
    ///   - device: This device's name, as others will see it.
    ///   - durability: How local commits are written to the disk.
    /// - Throws: ``RoostError`` or `ReplicaError`. No replica is left behind; where no answer came, a small file `PATH-joining` is: the
    ///   same call within 10 minutes needs no other invite.
    public static func join(
        _ link: String, path: String, device: String, durability: Durability = .full
    ) async throws -> Replica {
        let action = "join"
        let invite: InviteLink
        do {
            invite = try InviteLink(link)
        } catch {
            throw RoostError(.invalidArgument, "\(error)")
        }
        // Before the invite is used up: a file can be made there.
        let unfinished = try UnfinishedReplica(beginning: path, for: invite.request, fresh: nonce(), action)
        let registration: Registration
        do {
            registration = try await request(invite.server, token: nil, action) { client throws(ServerFailure) in
                try await client.join(invite: invite.token, device: device, nonce: unfinished.nonce)
            }
        } catch {
            // Without an answer the server may have taken the device in: the nonce is kept for the next attempt.
            let isAnswered = (error as? RoostError).map { $0.serverCode != nil || $0.code != .unavailable } ?? false
            if isAnswered { unfinished.end() }
            throw error
        }
        let schema: Schema
        do {
            schema = try Schema(json: registration.schema)
        } catch {
            throw RoostError(.incompatible, "Cannot \(action): the scope's schema cannot be read. \(error)")
        }
        if schema.entities.count > entitiesMaxAtOnce {
            FileWaits.announcer?("the tables of \(schema.entities.count) entities, which this file is made with")
        }
        let replica = try Replica.create(at: path, schema: schema, durability: durability)
        try replica.join(membership(registration, server: invite.server, device: device))
        unfinished.end()
        return replica
    }

    /// Makes an invite link for others.
    ///
    /// - Parameters:
    ///   - replica: A replica of an owner of the scope.
    ///   - role: `viewer`, `editor` or `owner`.
    ///   - hours: How long it is valid, 1 to 720.
    ///   - uses: How many may join with it, from 1.
    /// - Returns: The link. It has a secret: whoever has it joins.
    /// - Throws: ``RoostError``, with the code `notPermitted` for a role that may not invite.
    public static func invite(_ replica: Replica, role: String, hours: Int, uses: Int) async throws -> String {
        let action = "make an invite"
        let membership = try connected(replica, action)
        let address = try address(membership.server, action)
        let invite = try await asking(replica, action) { client throws(ServerFailure) in
            try await client.invite(role: role, hours: hours, uses: uses)
        }
        do {
            return try InviteLink(server: address, token: invite.token ?? "").link
        } catch {
            throw RoostError(.incompatible, "Cannot \(action): the server gave no usable token. \(error)")
        }
    }

    /// Makes a schema the one in force in the scope. Devices hear of it with their next pull, and go on with their version until they
    /// are migrated; who joins gets this one.
    ///
    /// - Parameters:
    ///   - schema: Its version is one more than that in force. The very text that is in force changes nothing.
    ///   - replica: A replica of an owner of the scope. Its own tables are not migrated by this.
    /// - Throws: ``RoostError``, with the code `notPermitted` for a role that may not publish, and the server code
    ///   `schema_conflict` or `schema_invalid` where the schema cannot follow the one in force.
    public static func publishSchema(_ schema: Schema, with replica: Replica) async throws {
        let action = "publish version \(schema.version) of the schema \"\(schema.name)\""
        let membership = try connected(replica, action)
        let address = try address(membership.server, action)
        try await request(address, token: membership.token, action) { client throws(ServerFailure) in
            try await client.publishSchema(schema.source)
        }
    }

    /// The digest of the scope as the server has it now; `nil` if it says none.
    ///
    /// - Throws: ``RoostError``, with the code `notConnected` for a replica that belongs to no scope.
    public static func serverDigest(_ replica: Replica) async throws -> ScopeDigest? {
        let action = "ask the server for its digest"
        let membership = try connected(replica, action)
        let address = try address(membership.server, action)
        return try await request(address, token: membership.token, action) { client throws(ServerFailure) in
            try await client.digest()
        }
    }

    /// The membership of a replica that can speak to its server.
    static func connected(_ replica: Replica, _ action: String) throws -> Membership {
        guard let membership = try replica.membership() else {
            throw RoostError(
                .notConnected,
                "Cannot \(action): the replica \"\(replica.path)\" is not connected to a server. Connect it with \"roost init --server\"."
            )
        }
        guard membership.hasCredentials else {
            let isThere = FileManager.default.fileExists(atPath: "\(replica.path)-token")
            let fault = isThere ? "damaged or of another replica" : "missing"
            throw RoostError(
                .notPermitted,
                "Cannot \(action): the replica \"\(replica.path)\" has no credentials: its token file \"\(replica.path)-token\" is "
                    + "\(fault). Put it back, or get an invite and run: roost join LINK \(ShellWord.quoted(replica.path))"
            )
        }
        return membership
    }

    static func address(_ server: String, _ action: String) throws -> ServerAddress {
        do {
            return try ServerAddress(server)
        } catch {
            throw RoostError(.invalidArgument, "\(error)")
        }
    }

    static func request<Reply: Sendable>(
        _ server: ServerAddress, token: String?, _ action: String,
        _ body: @Sendable (ServerClient) async throws(ServerFailure) -> Reply
    ) async throws -> Reply {
        let result = try await withTransport(to: server, action) { transport in
            do throws(ServerFailure) {
                return Result<Reply, ServerFailure>.success(try await body(ServerClient(transport, token: token)))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let reply): return reply
        case .failure(let failure): throw failure.error(action)
        }
    }

    /// Runs `use` with a transport whose connection may be one that was kept.
    ///
    /// - Throws: ``RoostError``, where there is none; `use` was not run then.
    static func withTransport<Reply: Sendable>(
        of pool: TransportPool = .shared, to server: ServerAddress, _ action: String,
        _ use: @Sendable (HTTPTransport) async -> Reply
    ) async throws(RoostError) -> Reply {
        do {
            return try await pool.withTransport(to: server, use)
        } catch {
            throw RoostError(error, action)
        }
    }

    static func membership(
        _ registration: Registration, server: ServerAddress, device: String
    ) -> Membership {
        Membership(
            scope: registration.scope, scopeName: registration.scopeName, replica: registration.replica,
            server: server.description, token: registration.token, role: registration.role.rawValue, deviceName: device)
    }

    /// Lets the server know a repetition of the same request from a new one.
    static func nonce() -> String {
        Hex.encode((0..<16).map { _ in UInt8.random(in: 0...255) })
    }
}
