public import Replica
internal import RoostProtocol

extension Replica {
    /// Replaces the replica's token, for instance because somebody may have read it. The old token is valid until the new one is first
    /// used, by the next synchronisation, or for 24 hours.
    ///
    /// The token file also has tokens of earlier identities of the replica. This server accepts none of them afterwards: a copy of the
    /// file that still uses one has to join again.
    ///
    /// The new token is stored before the request is sent. If the reply is lost, the next synchronisation finds out which token the
    /// server has.
    ///
    /// No other program may synchronise the replica meanwhile: it would continue with the old token, and the server would take that for
    /// a theft.
    ///
    /// - Throws: ``RoostError``, with the code `busy` if another program synchronises the replica. If the server refuses, the old token
    ///   stays in force. After `unavailable` or `incompatible` the token may have been replaced.
    public func rotateToken() async throws {
        let action = "replace the token"
        _ = try serverAccess(action)
        let lease = try syncLease(action)
        try await settleRotation(action)
        let proposed = DeviceToken.random()
        let access = try serverAccess(action)
        // A reader of the token file has seen the earlier tokens too.
        let earlier = try earlierTokens().filter { $0 != access.token }
        let former = earlier.prefix(SyncDriver.TokenSearch.countMax).map { SHA256Digest.of(Array($0.utf8)) }
        try prepareToken(proposed)
        let token: String
        do {
            token = try await access.request(action) { client throws(ServerFailure) in
                try await client.rotateToken(to: proposed, endingAlso: former)
            }
        } catch let error as RoostError where error.serverCode != nil && error.code != .unavailable {
            try dropToken(proposed)
            throw error
        }
        // A server of an earlier version has chosen a token itself.
        try withExtendedLifetime(lease) { try setToken(token) }
    }

    /// Finds out the outcome of an earlier rotation whose reply was lost.
    private func settleRotation(_ action: String) async throws {
        guard try earlierToken() != nil, let token = try membership()?.token else { return }
        do {
            _ = try await scope.request(action) { client throws(ServerFailure) in try await client.devices() }
            try settleToken()
        } catch let error as RoostError where error.serverCode == ErrorCode.unauthorized.rawValue {
            try dropToken(token)
        }
    }
}
