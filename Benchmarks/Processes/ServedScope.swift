import BenchmarkData
import Replica
import Roost
import RoostModel
import RoostProtocol
import Transport

/// A scope on a running server, with the replica that made it.
struct ServedScope {
    let server: ServerProcess
    let owner: Replica
    let membership: Membership
    let context: Context
    let durability: Durability

    static func make(_ context: Context, on server: ServerProcess, _ durability: Durability) async throws -> ServedScope
    {
        let owner = try context.makeReplica(context.freshPath("owner"), durability)
        try await owner.createScope(
            named: "benchmark", on: server.address, adminToken: server.adminToken, device: "owner")
        guard let membership = try owner.membership() else { throw BenchmarkError("The replica joined nothing.") }
        return ServedScope(
            server: server, owner: owner, membership: membership, context: context, durability: durability)
    }

    /// Makes a client with the owner's token and a connection of its own.
    func ownerClient() throws -> ServerClient {
        ServerClient(try HTTPTransport(to: try ServerAddress(server.address)), token: membership.token)
    }

    /// Makes a replica file of another device.
    func join(_ name: String) async throws -> Replica {
        let link = try await owner.scope.invite(role: .editor, hours: 1, uses: 1)
        return try await Replica.join(
            link, at: context.freshPath(name), device: name, durability: durability)
    }

    /// Throws if a replica's digest differs from the server's.
    func expectServerDigest(of path: String) async throws {
        let replica = try Replica(opening: path, durability: durability)
        defer { try? replica.close() }
        guard try replica.digest() == (try await replica.scope.digest()) else {
            throw BenchmarkError("\(path) and the server differ.")
        }
    }

    /// Registers devices without a replica file. This process makes their requests.
    func register(_ count: Int) async throws -> [Registration] {
        let client = try ownerClient()
        let invite = try await client.invite(role: "editor", hours: 1, uses: count)
        var registrations: [Registration] = []
        for index in 0..<count {
            registrations.append(
                try await client.join(
                    invite: invite.token ?? "", device: "device \(index)", nonce: "benchmark nonce \(index)"))
        }
        await client.transport.shutdown()
        return registrations
    }

    /// Pushes records as the owner, without a replica file.
    func seed(_ work: Workload) async throws {
        let client = try ownerClient()
        try await Self.push(work, with: client, as: membership.replica)
        await client.transport.shutdown()
    }

    /// Pushes the first records of a device that has no replica file.
    static func push(_ work: Workload, with client: ServerClient, as replica: ReplicaID) async throws {
        var clock = Stamps(of: replica)
        var number: UInt64 = 0
        for start in stride(from: 0, to: work.count, by: 1000) {
            let changes = (start..<min(start + 1000, work.count)).map { index in
                let (key, encoded) = work.put(index)
                return Change(key: key, stamp: clock.next(), kind: .put(encoded, base: nil))
            }
            number += 1
            let request = PushRequest(number: number, checkpoint: nil, transactions: [.init(changes: changes)])
            let reply = try await client.push(request.protobuf())
            guard case .accepted? = reply.results.first else {
                throw BenchmarkError("The server refused a push: \(reply.results).")
            }
        }
    }
}
