public import Replica
internal import RoostModel
internal import RoostProtocol
internal import Transport

/// Attaching a replica to a scope: a new scope, or the scope of an invite.
extension Replica {
    /// Entity count above which the creation of a file is announced. An ordinary scope has fewer, and its file is created in a
    /// moment; a scope of an earlier version may have more, and takes minutes.
    private static let unannouncedEntitiesMax = 500

    /// Creates a scope on a server from this replica, which belongs to none yet. This device becomes the scope's owner.
    ///
    ///     try await replica.createScope(
    ///         named: "Lisbon", on: "https://roost.example", adminToken: token, device: "Ana's phone")
    ///     let report = try await replica.synchronise()
    ///
    /// The next synchronisation sends the server what the replica holds.
    ///
    /// - Parameters:
    ///   - name: The scope's name, as its members see it.
    ///   - server: The server's address: `https://…`, or `http://…` on this machine.
    ///   - adminToken: The server's admin token. It is not stored.
    ///   - device: This device's name, as other members see it.
    /// - Throws: ``RoostError``, with the code `invalidArgument` if the replica belongs to a scope already. The replica is unchanged. If
    ///   the code is `unavailable`, the server may have created the scope; the same call within 10 minutes then returns that one.
    public func createScope(
        named name: String, on server: String, adminToken: String, device: String
    ) async throws {
        let action = "make the scope \"\(name)\""
        guard try membership() == nil else {
            throw RoostError(
                .invalidArgument,
                "Cannot \(action): the replica belongs to a scope already; \"roost status\" says which. If its server lost its "
                    + "data, make the scope there again with \"roost init --seed\".")
        }
        let address = try ServerAddress(checking: server)
        let nonce = try joinNonce(for: "scope \(address) \(name) \(device)", fresh: RequestNonce.random())
        let access = ServerAccess(address, token: adminToken)
        let registration = try await access.request(action) { client throws(ServerFailure) in
            try await client.createScope(name: name, device: device, schema: schema.source, nonce: nonce)
        }
        try join(Membership(registration, server: address, device: device))
    }

    /// Joins the scope of an invite, and creates the replica's file. It has no records until its first synchronisation.
    ///
    ///     let replica = try await Replica.join(link, at: "trip.roost", device: "Bob's phone")
    ///     let report = try await replica.synchronise()
    ///
    /// ``rejoin(_:device:)`` joins with a file that exists.
    ///
    /// - Parameters:
    ///   - link: The link that ``Scope/invite(role:hours:uses:)`` returned.
    ///   - path: The path of the new file. Nothing may exist there.
    ///   - device: This device's name, as other members see it.
    ///   - identifiers: The form in which the file stores identifiers.
    ///   - durability: The durability of local commits.
    /// - Throws: ``RoostError`` or ``ReplicaError``. No replica is left behind. If no reply came, a small file `PATH-joining` stays: the
    ///   same call within 10 minutes needs no other invite.
    public static func join(
        _ link: String, at path: String, device: String, identifiers: IdentifierForm = .bytes,
        durability: Durability = .full
    ) async throws -> Replica {
        let action = "join"
        let invite = try InviteLink(checking: link)
        // Before the invite is used up: checks that a file can be created there.
        let unfinished = try UnfinishedReplica(
            beginning: path, for: invite.request, fresh: RequestNonce.random(), action)
        let registration: Registration
        do {
            let access = ServerAccess(invite.server, token: nil)
            registration = try await access.request(action) { client throws(ServerFailure) in
                try await client.join(invite: invite.token, device: device, nonce: unfinished.nonce)
            }
        } catch {
            // Without a reply the server may have registered the device: the nonce is kept for the next attempt.
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
        if schema.entities.count > unannouncedEntitiesMax {
            FileWaits.announcer?("the tables of \(schema.entities.count) entities, which this file is made with")
        }
        let replica = try Replica.create(
            at: path, schema: schema, identifiers: identifiers, durability: durability)
        try replica.join(Membership(registration, server: invite.server, device: device))
        unfinished.end()
        return replica
    }
}
