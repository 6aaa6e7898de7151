import Foundation
import RoostModel
import RoostProtocol
import RoostService
import Testing

@testable import ServerHTTP

/// Bodies that need much memory, alone and many at once.
@Suite struct BodyMemoryTests {
    private static let protobuf = ["Content-Type: application/x-protobuf"]
    private static let json = ["Content-Type: application/json"]

    /// Returns a push of notes in JSON, each with a title of `titleBytes` bytes.
    private func push(_ server: TestServer, notes: Int, titleBytes: Int) -> [UInt8] {
        var changes: [String] = []
        for note in 1...notes {
            let stamp = HybridTimestamp(
                milliseconds: server.service.now, counter: UInt16(note), replica: server.owner.replica)
            let title = String(repeating: "a", count: titleBytes)
            changes.append(
                """
                {"entity":"Note","record":"\(RecordID(high: 1, low: UInt64(note)))","stamp":"\(stamp)",\
                "put":{"title":"\(title)"}}
                """)
        }
        return Array(#"{"number":1,"transactions":[{"changes":[\#(changes.joined(separator: ","))]}]}"#.utf8)
    }

    /// The body is an eighth of the budget, like 12 MiB of the default budget, and there are no other requests.
    @Test func anIdleServerTakesALargePushInJSON() async throws {
        try await TestServer.run(settings: { $0.bytesInFlightMax = 6 << 20 }) { server in
            let body = push(server, notes: 8, titleBytes: 105_000)
            #expect(body.count > 800_000)
            let reply = try await server.call("POST", "/v1/push", fields: Self.json, body: body)
            #expect(reply?.status == 200)
        }
    }

    /// The client has to send less at once. After a 429 it would send the body again for ever.
    @Test func valuesThatNeverFitAreTooLarge() async throws {
        try await TestServer.run(settings: { $0.bytesInFlightMax = 16 << 20 }) { server in
            let body = Array(#"{"number":1,"transactions":[\#(String(repeating: "{},", count: 200_000)){}]}"#.utf8)
            let reply = try await server.call("POST", "/v1/push", fields: Self.json, body: body)
            #expect(reply?.status == 413)
            #expect(reply?.code == "too_large")
        }
    }

    /// Announced bodies that never arrive block neither other scopes nor their own.
    @Test func aLengthThatIsOnlyStatedTakesNoRoom() async throws {
        try await TestServer.run(settings: { $0.bytesInFlightMax = 1 << 20 }) { server in
            let other = try await server.service.createScope(
                name: "Porto", device: "Zoe", schema: TestServer.schema, nonce: "other-nonce")
            try await offTasks { [port = server.port, tokens = [server.owner.token, other.token]] in
                let slow = try (1...25).map { _ in
                    let connection = try RawConnection(port: port)
                    connection.send(
                        TestServer.request(
                            "POST", "/v1/push", token: tokens[0],
                            fields: Self.protobuf + ["Content-Length: 4000000"], body: [255, 255]))
                    return connection
                }
                usleep(200_000)
                for token in tokens {
                    let next = try RawConnection(port: port)
                    next.send(
                        TestServer.request(
                            "POST", "/v1/push", token: token, fields: Self.protobuf,
                            body: [UInt8](repeating: 255, count: 100_000)))
                    #expect(next.receive()?.status == 400)
                }
                withExtendedLifetime(slow) {}
            }
        }
    }

    /// Bodies that have almost arrived block their own device, and leave memory for other scopes.
    @Test func bodiesShareWhatTheServerHolds() async throws {
        try await TestServer.run(settings: { $0.bytesInFlightMax = 1 << 20 }) { server in
            let other = try await server.service.createScope(
                name: "Porto", device: "Zoe", schema: TestServer.schema, nonce: "other-nonce")
            try await offTasks { [port = server.port, tokens = (server.owner.token, other.token)] in
                func status(_ token: String, _ count: Int) throws -> Int? {
                    let next = try RawConnection(port: port)
                    next.send(
                        TestServer.request(
                            "POST", "/v1/push", token: token, fields: Self.protobuf,
                            body: [UInt8](repeating: 255, count: count)))
                    return next.receive()?.status
                }
                // The slow body is itself refused if it arrives while another one is read. Then the test tries again.
                var (slow, refused): (RawConnection?, Int?) = (nil, 400)
                for _ in 0..<100 where refused == 400 {
                    slow = try RawConnection(port: port)
                    slow?.send(
                        TestServer.request(
                            "POST", "/v1/push", token: tokens.0, fields: Self.protobuf + ["Content-Length: 400000"],
                            body: [UInt8](repeating: 255, count: 399_000)))
                    usleep(100_000)
                    refused = try status(tokens.0, 100_000)
                }
                #expect(refused == 429)
                #expect(try status(tokens.0, 1000) == 400)
                #expect(try status(tokens.1, 200_000) == 400)
                withExtendedLifetime(slow) {}
            }
        }
    }
}
