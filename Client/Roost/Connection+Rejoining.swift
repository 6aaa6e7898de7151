public import Replica
internal import RoostModel
internal import RoostProtocol
internal import Transport

/// Attaching a replica's file to its scope again: its access was lost, or its server lost its data.
extension Connection {
    /// Joins the scope of a replica again with the replica's own file, under a new identity. What it holds stays: changes that wait are
    /// pushed under the new identity, and what the server lost is brought back with the next synchronisation.
    ///
    /// That is for a device that the server does not know any more, or whose token is gone, and for a copy of a file. If the answer is
    /// lost, the same call may be repeated for 10 minutes with the same link. With the link that the file was made from by
    /// ``join(_:path:device:durability:)`` it does nothing, where that was interrupted after the file was complete.
    ///
    /// - Parameters:
    ///   - link: An invite to the replica's scope, on any server that has it.
    ///   - replica: One that belongs to the scope.
    ///   - device: This device's name, as others will see it; as before where it is left out.
    /// - Throws: ``RoostError``: `invalidArgument` or a refusal of the server for an invite to another scope, `busy` where another program
    ///   keeps the replica synchronised; the replica is unchanged.
    public static func join(_ link: String, with replica: Replica, device: String? = nil) async throws {
        let action = "join again"
        let invite: InviteLink
        do {
            invite = try InviteLink(link)
        } catch {
            throw RoostError(.invalidArgument, "\(error)")
        }
        let before = try known(replica, action)
        if UnfinishedReplica.end(at: replica.path, by: invite.request) { return }
        let lease = try lease(on: replica, action)
        let nonce = try replica.joinNonce(for: invite.request, fresh: nonce())
        let name = device ?? before.deviceName
        let registration: Registration
        do {
            registration = try await request(invite.server, token: nil, action) { client throws(ServerFailure) in
                try await client.join(invite: invite.token, device: name, nonce: nonce, scope: before.scope)
            }
        } catch let error as RoostError where error.serverCode == ErrorCode.inviteUsed.rawValue {
            guard before.hasCredentials else { throw error }
            let hint = "If it was used for this file, that has joined: synchronise it."
            throw RoostError(error.code, "\(error) \(hint)", serverCode: error.serverCode)
        }
        try check(registration, is: before.scope, action)
        let reason = try await verdict(on: replica, invite.server, token: registration.token, action)
        try withExtendedLifetime(lease) {
            try replica.rejoin(
                membership(registration, server: invite.server, device: name), resynchronising: reason)
        }
    }

    /// Makes the scope of a replica again on a server that does not have it, because the data of the scope's server is lost. The device
    /// owns it there. All that the replica holds goes there with the next synchronisation, with the stamps that it had; other replicas of
    /// the scope bring what they hold when they join again with their files, for 30 days.
    ///
    /// - Parameters:
    ///   - replica: One that belongs to the scope and has pulled everything of it before.
    ///   - server: The server's address.
    ///   - adminToken: The server's admin token; it is not stored.
    ///   - device: This device's name, as others will see it; as before where it is left out.
    /// - Throws: ``RoostError``, also where the server has the scope; the replica is unchanged.
    public static func seed(
        _ replica: Replica, on server: String, adminToken: String, device: String? = nil
    ) async throws {
        let action = "make the scope again"
        let before = try known(replica, action)
        let address = try address(server, action)
        guard try replica.checkpoint() != nil || replica.reasonOfPullingAnew() != nil else {
            throw RoostError(
                .invalidArgument,
                "Cannot \(action): the replica has never pulled, so it is not complete. Use a replica that has.")
        }
        let lease = try lease(on: replica, action)
        let nonce = try replica.joinNonce(for: "seed \(address)", fresh: nonce())
        let name = device ?? before.deviceName
        let schema = try replica.nextSchema() ?? replica.schema
        let registration = try await request(address, token: adminToken, action) { client throws(ServerFailure) in
            try await client.createScope(
                name: before.scopeName, device: name, schema: schema.source, nonce: nonce, scope: before.scope)
        }
        try check(registration, is: before.scope, action)
        try withExtendedLifetime(lease) {
            try replica.rejoin(
                membership(registration, server: address, device: name), resynchronising: .historyChanged)
        }
    }

    private static func known(_ replica: Replica, _ action: String) throws -> Membership {
        guard let membership = try replica.membership() else {
            throw RoostError(
                .notConnected,
                "Cannot \(action): the replica \"\(replica.path)\" belongs to no scope. Connect it with \"roost init --server\", or "
                    + "join with a new file.")
        }
        return membership
    }

    static func lease(on replica: Replica, _ action: String) throws -> SyncLease {
        if let lease = try SyncLease(on: replica.path) { return lease }
        let holder = SyncLease.holder(of: replica.path).map { " (process \($0))" } ?? ""
        throw RoostError(
            .busy, "Cannot \(action): another program\(holder) keeps \"\(replica.path)\" synchronised. Stop it first.")
    }

    /// An earlier server does not look at the scope that it is given.
    private static func check(_ registration: Registration, is scope: ScopeID, _ action: String) throws {
        guard registration.scope != scope else { return }
        throw RoostError(
            .invalidArgument,
            "Cannot \(action): the server answers for another scope, \"\(registration.scopeName)\". The replica is unchanged. Use an "
                + "invite to its own scope, and a server of this version or later.")
    }

    /// Asks the server how the replica's checkpoint stands to its history.
    ///
    /// - Returns: Why everything has to be pulled again; `nil` where the checkpoint is good, or that has begun.
    private static func verdict(
        on replica: Replica, _ server: ServerAddress, token: String, _ action: String
    ) async throws -> PullAnewReason? {
        guard let checkpoint = try replica.checkpoint() else {
            // Damage is still to be looked for; else the server may be another one than that which was pulled from.
            switch try replica.reasonOfPullingAnew() {
            case .differs, .damaged: return nil
            case .historyChanged, .expired, nil: return .historyChanged
            }
        }
        return try await request(server, token: token, action) { client throws(ServerFailure) -> PullAnewReason? in
            do throws(ServerFailure) {
                _ = try await client.pull(since: checkpoint, waitSeconds: 0)
                return nil
            } catch {
                guard case .refused(let refusal) = error else { throw error }
                switch refusal.code {
                case .resyncRequired: return .expired
                case .historyChanged, .badRequest: return .historyChanged
                default: throw error
                }
            }
        }
    }
}

extension InviteLink {
    /// The request to join with it, under which a nonce is kept until it is done.
    var request: String { "join \(token)" }
}
