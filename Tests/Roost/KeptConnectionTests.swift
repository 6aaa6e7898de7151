import Foundation
import Replica
import Roost
import RoostModel
import RoostProtocol
import TestLoopback
import Testing

/// Sessions that follow each other soon use one connection.
@Suite struct KeptConnectionTests {
    /// One device and a server whose scope is empty.
    private func withDevice(
        next: LoopbackServer.Next, _ body: (Replica, LoopbackServer) async throws -> Void
    ) async throws {
        let page = PullReply(
            records: [], checkpoint: Checkpoint(bytes: [1]), hasMore: false, digest: ScopeDigest(), schemaVersion: 1,
            serverTime: 0
        ).protobuf()
        let server = try LoopbackServer { request, connection in
            let answer = request.line.contains("/v1/pull") ? page : Array(#"{"devices":[]}"#.utf8)
            let type = request.line.contains("/v1/pull") ? "x-protobuf" : "json"
            connection.send(
                "HTTP/1.1 200 OK\r\nContent-Type: application/\(type)\r\nContent-Length: \(answer.count)\r\n\r\n")
            connection.send(answer)
            return next
        }
        defer { server.close() }
        let folder = FileManager.default.temporaryDirectory.appending(path: "roost-kept-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let replica = try ScriptedServer.joinedReplica(
            in: folder, server: "http://127.0.0.1:\(server.port)", token: "token")
        defer { try? replica.close() }
        try await body(replica, server)
    }

    @Test func synchronisingAgainMakesNoConnection() async throws {
        try await withDevice(next: .keep) { replica, server in
            // The first session requests the names of devices concurrently with its pull.
            let first = try await replica.synchronise()
            #expect(first.isUpToDate, "\(first.state)")
            let before = server.connectionCount
            for _ in 0..<3 {
                let report = try await replica.synchronise()
                #expect(report.isUpToDate, "\(report.state)")
            }
            #expect(server.connectionCount == before)
        }
    }

    @Test func serverThatClosesItsConnectionsIsNoTrouble() async throws {
        try await withDevice(next: .close) { replica, _ in
            for _ in 0..<3 {
                let report = try await replica.synchronise()
                #expect(report.isUpToDate, "\(report.state)")
            }
        }
    }
}
