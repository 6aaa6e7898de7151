internal import Transport

/// A server's address, with the token that requests to the server carry.
struct ServerAccess: Sendable {
    let server: ServerAddress
    /// A device token or an admin token; `nil` for a request that needs none, such as joining with an invite.
    let token: String?

    init(_ server: ServerAddress, token: String?) {
        self.server = server
        self.token = token
    }

    /// Sends one request over a transport of the shared pool.
    ///
    /// - Parameter action: The caller's purpose, as an error's message says it after "Cannot".
    /// - Throws: ``RoostError``, for a failure of the transport or a refusal of the server.
    func request<Reply: Sendable>(
        _ action: String, _ body: @Sendable (ServerClient) async throws(ServerFailure) -> Reply
    ) async throws -> Reply {
        let result = try await withClient(action) { client in
            do throws(ServerFailure) {
                return Result<Reply, ServerFailure>.success(try await body(client))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let reply): return reply
        case .failure(let failure): throw failure.error(action)
        }
    }

    /// Runs `use` with a client whose connection may be one that the pool has kept.
    ///
    /// - Throws: ``RoostError`` if no transport can be made; `use` has not run then.
    func withClient<Reply: Sendable>(
        of pool: TransportPool = .shared, _ action: String, _ use: @Sendable (ServerClient) async -> Reply
    ) async throws(RoostError) -> Reply {
        do {
            return try await pool.withTransport(to: server) { transport in
                await use(ServerClient(transport, token: token))
            }
        } catch {
            throw RoostError(error, action)
        }
    }
}

extension ServerAddress {
    /// Reads an address that a user or a replica file gave.
    ///
    /// - Throws: ``RoostError`` with the code `invalidArgument`.
    init(checking text: String) throws(RoostError) {
        do {
            try self.init(text)
        } catch {
            throw RoostError(.invalidArgument, "\(error)")
        }
    }
}

extension InviteLink {
    /// Reads a link that a user gave.
    ///
    /// - Throws: ``RoostError`` with the code `invalidArgument`.
    init(checking text: String) throws(RoostError) {
        do {
            try self.init(text)
        } catch {
            throw RoostError(.invalidArgument, "\(error)")
        }
    }

    /// Identifies a join with this invite. The replica file keeps the nonce of the join under it until the join is complete.
    var request: String { "join \(token)" }
}
