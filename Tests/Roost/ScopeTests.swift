import Foundation
import Replica
import Roost
import RoostModel
import Testing

/// A replica that belongs to no scope.
@Suite struct ScopeTests {
    private static let device = ReplicaID(rawValue: 1)

    /// The calls that need a scope.
    private static let calls: [(name: String, call: @Sendable (Replica) async throws -> Void)] = [
        ("synchronise", { _ = try await $0.synchronise() }),
        ("rejoin", { try await $0.rejoin("http://127.0.0.1:1/join#roost_i_x") }),
        ("seedScope", { try await $0.seedScope(on: "http://127.0.0.1:1", adminToken: "token") }),
        ("rotateToken", { try await $0.rotateToken() }),
        ("devices", { _ = try await $0.scope.devices() }),
        ("revoke", { try await $0.scope.revoke(device) }),
        ("setRole", { try await $0.scope.setRole(.viewer, of: device) }),
        ("invite", { _ = try await $0.scope.invite(role: .editor, hours: 1, uses: 1) }),
        ("invites", { _ = try await $0.scope.invites() }),
        ("revokeInvite", { try await $0.scope.revokeInvite("0a") }),
        ("publish", { try await $0.scope.publish($0.schema) }),
        ("digest", { _ = try await $0.scope.digest() }),
    ]

    @Test(arguments: calls.map(\.name)) func callSaysThatThereIsNoScope(_ name: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "roost-scope-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "a.roost").path
        let replica = try Replica.create(at: path, schema: Schema(json: ScriptedServer.schema))
        let call = try #require(Self.calls.first { $0.name == name }?.call)
        let error = await #expect(throws: RoostError.self) { try await call(replica) }
        #expect(error?.code == .notConnected, "\(String(describing: error))")
        try replica.close()
    }
}
