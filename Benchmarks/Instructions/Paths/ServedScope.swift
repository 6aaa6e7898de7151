import BenchmarkData
import RoostModel
import RoostProtocol
import RoostService
import SQLiteStore

/// A server without its network, on a file, with one scope.
struct ServedScope {
    /// The server's time in milliseconds since 1970. Stamps must not be later.
    static let now: UInt64 = 1_760_000_000_000

    let service: SyncService
    let owner: Principal

    /// - Parameter now: The server's clock.
    static func make(_ place: Workplace, now: @escaping @Sendable () -> UInt64 = { now }) async throws -> ServedScope {
        let store = try SQLiteStore(path: place.path("server"), synchronous: .normal)
        let service = try SyncService(
            store, limits: Limits(), commits: .inline, now: now, random: SplitMix64(state: 13))
        let registration = try await service.createScope(
            name: "benchmark", device: "owner", schema: Workload.schema, nonce: "benchmark owner")
        return ServedScope(service: service, owner: try await principal(registration, of: service))
    }

    /// Registers another device of the scope.
    func join() async throws -> Principal {
        let invite = try await service.createInvite(role: .editor, hours: nil, uses: 1, by: owner)
        guard let token = invite.token.flatMap({ Token($0) }) else { throw BenchmarkError("Expected an invite.") }
        let registration = try await service.join(invite: token, device: "device", nonce: "benchmark device")
        return try await Self.principal(registration, of: service)
    }

    private static func principal(_ registration: Registration, of service: SyncService) async throws -> Principal {
        guard let token = Token(registration.token) else { throw BenchmarkError("Expected a token.") }
        return try await service.member(token)
    }

    /// - Parameter member: The device that pushes; the owner by default.
    @discardableResult
    func push(_ body: [UInt8], by member: Principal? = nil, page: PageRequest? = nil) async throws -> [UInt8] {
        try await service.push(body, as: .protobuf, replyAs: .protobuf, by: member ?? owner, page: page)
    }

    func pull(since checkpoint: Checkpoint?, bytesMax: Int? = nil, for member: Principal) async throws -> [UInt8] {
        try await service.pull(PageRequest(since: checkpoint, bytesMax: bytesMax), as: .protobuf, for: member)
    }
}
