internal import Foundation
internal import Replica
internal import RoostProtocol
internal import Transport

/// Preconditions of requests on behalf of a replica. `action` is the caller's purpose, as an error's message says it after "Cannot".
extension Replica {
    /// The replica's server and token.
    ///
    /// - Throws: ``RoostError``: `notConnected` if the replica belongs to no scope, `notPermitted` if its token file is missing or damaged.
    func serverAccess(_ action: String) throws -> ServerAccess {
        guard let membership = try membership() else {
            throw RoostError(
                .notConnected,
                "Cannot \(action): the replica \"\(path)\" is not connected to a server. Connect it with \"roost init --server\"."
            )
        }
        guard membership.hasCredentials else {
            let isThere = FileManager.default.fileExists(atPath: "\(path)-token")
            let fault = isThere ? "damaged or of another replica" : "missing"
            throw RoostError(
                .notPermitted,
                "Cannot \(action): the replica \"\(path)\" has no credentials: its token file \"\(path)-token\" is "
                    + "\(fault). Put it back, or get an invite and run: roost join LINK \(ShellWord.quoted(path))"
            )
        }
        return ServerAccess(try ServerAddress(checking: membership.server), token: membership.token)
    }

    /// The replica's membership, with or without credentials.
    ///
    /// - Throws: ``RoostError`` with the code `notConnected` if the replica belongs to no scope.
    func existingMembership(_ action: String) throws -> Membership {
        guard let membership = try membership() else {
            throw RoostError(
                .notConnected,
                "Cannot \(action): the replica \"\(path)\" belongs to no scope. Connect it with \"roost init --server\", or "
                    + "join with a new file.")
        }
        return membership
    }

    /// Reserves the replica for this caller: nobody else synchronises it while the lease exists.
    ///
    /// - Throws: ``RoostError`` with the code `busy` if another program, or a session of this one, synchronises the replica.
    func syncLease(_ action: String) throws -> SyncLease {
        if let lease = try SyncLease(on: path) { return lease }
        let holder = LeaseHolder(of: path)
        throw RoostError(
            .busy, "Cannot \(action): \(holder.name) keeps \"\(path)\" synchronised. \(holder.cure)")
    }
}

extension Membership {
    /// The membership that a server has registered.
    init(_ registration: Registration, server: ServerAddress, device: String) {
        self.init(
            scope: registration.scope, scopeName: registration.scopeName, replica: registration.replica,
            server: server.description, token: registration.token, role: registration.role, deviceName: device)
    }
}
