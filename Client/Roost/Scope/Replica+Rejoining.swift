public import Replica
internal import RoostModel
internal import RoostProtocol
internal import Transport

/// Attaching a replica to its scope again, after its access was lost or its server lost its data.
extension Replica {
    /// Joins the replica's own scope again, with this file and under a new identity. The records stay; the next synchronisation pushes
    /// pending changes under the new identity, and brings back to the server what it has lost.
    ///
    ///     try await replica.rejoin(link)
    ///     let report = try await replica.synchronise()
    ///
    /// This is for a device that the server no longer knows, for a replica without a valid token, and for a copied file. If the reply is
    /// lost, the same call with the same link may be repeated for 10 minutes. With the link of ``join(_:at:device:identifiers:durability:)`` it does
    /// nothing if that call was interrupted after the file was complete.
    ///
    /// - Parameters:
    ///   - link: An invite to the replica's scope, on any server that has the scope.
    ///   - device: This device's name, as other members see it; `nil` keeps the present one.
    /// - Throws: ``RoostError``: `notConnected` if the replica belongs to no scope, `invalidArgument` or a refusal of the server for an
    ///   invite to another scope, `busy` if another program synchronises the replica. The replica is unchanged.
    public func rejoin(_ link: String, device: String? = nil) async throws {
        let action = "join again"
        let invite = try InviteLink(checking: link)
        let before = try existingMembership(action)
        if UnfinishedReplica.end(at: path, by: invite.request) { return }
        let lease = try syncLease(action)
        let nonce = try joinNonce(for: invite.request, fresh: RequestNonce.random())
        let name = device ?? before.deviceName
        let registration: Registration
        do {
            let access = ServerAccess(invite.server, token: nil)
            registration = try await access.request(action) { client throws(ServerFailure) in
                try await client.join(invite: invite.token, device: name, nonce: nonce, scope: before.scope)
            }
        } catch let error as RoostError where error.serverCode == ErrorCode.inviteUsed.rawValue {
            guard before.hasCredentials else { throw error }
            let hint = "If it was used for this file, that has joined: synchronise it."
            throw RoostError(error.code, "\(error) \(hint)", serverCode: error.serverCode)
        }
        try registration.check(isOf: before.scope, action)
        let access = ServerAccess(invite.server, token: registration.token)
        let reason = try await resynchronisationReason(access, action)
        try withExtendedLifetime(lease) {
            try rejoin(
                Membership(registration, server: invite.server, device: name), resynchronising: reason)
        }
    }

    /// Creates the replica's scope again on a server that does not have it, after the scope's server has lost its data. This device
    /// becomes the scope's owner there.
    ///
    ///     try await replica.seedScope(on: "https://new.example", adminToken: token)
    ///     let report = try await replica.synchronise()
    ///
    /// The next synchronisation sends the server all that the replica holds, with its stamps. For 30 days, other replicas of the scope
    /// bring what they hold when they join again with their files (``rejoin(_:device:)``).
    ///
    /// - Parameters:
    ///   - server: The server's address.
    ///   - adminToken: The server's admin token. It is not stored.
    ///   - device: This device's name, as other members see it; `nil` keeps the present one.
    /// - Throws: ``RoostError``: `notConnected` if the replica belongs to no scope, `invalidArgument` if the replica has never pulled
    ///   everything, `busy` if another program synchronises it, and a refusal of a server that has the scope. The replica is unchanged.
    public func seedScope(on server: String, adminToken: String, device: String? = nil) async throws {
        let action = "make the scope again"
        let before = try existingMembership(action)
        let address = try ServerAddress(checking: server)
        guard try checkpoint() != nil || reasonOfPullingAnew() != nil else {
            throw RoostError(
                .invalidArgument,
                "Cannot \(action): the replica has never pulled, so it is not complete. Use a replica that has.")
        }
        let lease = try syncLease(action)
        let nonce = try joinNonce(for: "seed \(address)", fresh: RequestNonce.random())
        let name = device ?? before.deviceName
        let schema = try nextSchema() ?? schema
        let access = ServerAccess(address, token: adminToken)
        let registration = try await access.request(action) { client throws(ServerFailure) in
            try await client.createScope(
                name: before.scopeName, device: name, schema: schema.source, nonce: nonce, scope: before.scope)
        }
        try registration.check(isOf: before.scope, action)
        try withExtendedLifetime(lease) {
            try rejoin(
                Membership(registration, server: address, device: name), resynchronising: .historyChanged)
        }
    }

    /// Asks the server how the replica's checkpoint relates to the server's history.
    ///
    /// - Returns: The reason for a full resynchronisation; `nil` if the checkpoint is valid, or the resynchronisation has begun.
    private func resynchronisationReason(_ access: ServerAccess, _ action: String) async throws -> PullAnewReason? {
        guard let checkpoint = try checkpoint() else {
            // The search for corruption is still to be done. Otherwise the server may not be the one that was pulled from.
            switch try reasonOfPullingAnew() {
            case .differs, .damaged, .refused: return nil
            case .historyChanged, .expired, nil: return .historyChanged
            }
        }
        return try await access.request(action) { client throws(ServerFailure) -> PullAnewReason? in
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

extension Registration {
    /// Checks the scope that the server has registered the device in: an earlier server ignores the scope that it is asked for.
    fileprivate func check(isOf scope: ScopeID, _ action: String) throws(RoostError) {
        guard self.scope != scope else { return }
        throw RoostError(
            .invalidArgument,
            "Cannot \(action): the server answers for another scope, \"\(scopeName)\". The replica is unchanged. Use an "
                + "invite to its own scope, and a server of this version or later.")
    }
}
