import Foundation
import RoostModel
import RoostProtocol
import RoostService
import Testing

@testable import ServerHTTP

/// Replies that need much memory, and clients that do not read them.
@Suite struct ReplyMemoryTests {
    /// Limits with small pages, so that one of 240,000 bytes is large.
    private static func limits(_ limits: inout Limits) {
        limits.requestsPerSecond = 0
        limits.pageBytesMax = 10_000
    }

    /// Stores one transaction of 12 records, which JSON encodes in six times as many bytes.
    private func fill(
        _ server: TestServer, as registration: Registration, recordBytes: Int = 20_000
    ) async throws -> Principal {
        let member = try await server.service.member(Token(registration.token)!)
        let title = String(repeating: "\u{1}", count: recordBytes)
        let put = Put(content: ContentCoding.encode([.init(property: PropertyID(1), value: .string(title))])).encoded()
        let changes = (1...12).map { number in
            Change(
                key: TestServer.key(UInt64(number)),
                stamp: HybridTimestamp(
                    milliseconds: server.service.now, counter: UInt16(number), replica: member.replica),
                kind: .put(put, base: nil))
        }
        let push = PushRequest(number: 1, checkpoint: nil, transactions: [.init(changes: changes)])
        _ = try await server.service.push(push.protobuf(), as: .protobuf, replyAs: .protobuf, by: member)
        return member
    }

    private static func chunks(_ bytes: [UInt8]) -> [UInt8]? {
        var body: [UInt8] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 13) {
            guard let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16) else { return nil }
            if size == 0 { return body }
            guard rest.count > size + 4 else { return nil }
            body += rest[(end + 2)..<(end + 2 + size)]
            rest = rest[(end + 2 + size + 2)...]
        }
        return nil
    }

    /// Returns everything that a server sends until it closes the connection.
    private func exchange(_ server: TestServer, _ request: [UInt8]) async throws -> (head: String, body: [UInt8]) {
        try await offTasks { [port = server.port] in
            let connection = try RawConnection(port: port)
            connection.send(request)
            let bytes = connection.receiveToEnd()
            let end = bytes.indices.first { bytes[$0...].starts(with: Array("\r\n\r\n".utf8)) } ?? 0
            return (String(decoding: bytes[..<end], as: UTF8.self), Array(bytes[(end + 4)...]))
        }
    }

    @Test func aLargePageInJSONComesInPieces() async throws {
        try await TestServer.run(limits: Self.limits) { server in
            let member = try await fill(server, as: server.owner)
            let request = TestServer.request(
                "GET", "/v1/pull", token: server.owner.token,
                fields: ["Accept: application/json", "Connection: close"])
            let (head, body) = try await exchange(server, request)
            #expect(head.lowercased().contains("transfer-encoding: chunked"))
            let page = try PullReply(
                Self.chunks(body) ?? [], as: .json, server.service.names(for: member))
            #expect(page.records.count == 12)
            #expect(page.digest == (try server.service.head(for: member).digest))
        }
    }

    /// HTTP/1.0 has no chunks, so the end of the connection ends the body.
    @Test func aLargePageEndsWithAConnectionOfHTTP1_0() async throws {
        try await TestServer.run(limits: Self.limits) { server in
            _ = try await fill(server, as: server.owner)
            let head =
                "GET /v1/pull HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n"
                + "Authorization: Bearer \(server.owner.token)\r\n\r\n"
            let reply = try await exchange(server, Array(head.utf8))
            #expect(!reply.head.lowercased().contains("transfer-encoding"))
            #expect(try JSONParser.parse(reply.body)["records"]?.arrayValue?.count == 12)
        }
    }

    /// The connection stays usable after a large page.
    @Test func anotherRequestFollowsALargePage() async throws {
        try await TestServer.run(limits: Self.limits) { server in
            _ = try await fill(server, as: server.owner)
            let token = server.owner.token
            let first = TestServer.request("GET", "/v1/pull", token: token, fields: ["Accept: application/json"])
            let second = TestServer.request("GET", "/v1/me", token: token, fields: ["Connection: close"])
            let (_, body) = try await exchange(server, first + second)
            #expect(String(decoding: body.suffix(1000), as: UTF8.self).contains(#""lastPush":1"#))
        }
    }

    /// Unread replies block their own device, and leave memory for others. It is released when the connections end.
    @Test func unreadRepliesAreBounded() async throws {
        try await TestServer.run(limits: Self.limits, settings: { $0.bytesInFlightMax = 6 << 20 }) { server in
            _ = try await fill(server, as: server.owner, recordBytes: 100_000)
            let other = try await server.service.createScope(
                name: "Porto", device: "Zoe", schema: TestServer.schema, nonce: "other-nonce")
            _ = try await fill(server, as: other, recordBytes: 100_000)
            let tokens = (server.owner.token, other.token)
            try await offTasks { [port = server.port] in
                func pull(_ token: String, _ type: String, window: Int32? = nil) throws -> RawConnection {
                    let connection = try RawConnection(port: port, window: window)
                    connection.send(
                        TestServer.request("GET", "/v1/pull", token: token, fields: ["Accept: \(type)"]))
                    return connection
                }
                // The replies have more bytes than the system buffers for a client that does not read.
                var unread = try (1...10).map { _ in try pull(tokens.0, "application/json", window: 4096) }
                // The requests have been answered or refused once another one of their device is refused.
                var status: Int? = 200
                for _ in 0..<100 where status == 200 {
                    usleep(50_000)
                    status = try pull(tokens.0, "application/x-protobuf").receive()?.status
                }
                #expect(status == 429)
                #expect(try pull(tokens.1, "application/x-protobuf").receive()?.status == 200)
                unread.removeAll()
                for _ in 0..<100 where status == 429 {
                    usleep(50_000)
                    status = try pull(tokens.0, "application/x-protobuf").receive()?.status
                }
                #expect(status == 200)
            }
        }
    }

    /// A transaction that is larger than a page is not sent in the reply to a push, but in a pull.
    @Test func aReplyToAPushHasNoLargePage() async throws {
        try await TestServer.run(limits: Self.limits) { server in
            _ = try await fill(server, as: server.owner)
            let owner = try await server.service.member(Token(server.owner.token)!)
            let invite = try await server.service.createInvite(role: .editor, hours: nil, uses: 1, by: owner)
            let device = try await server.service.join(
                invite: Token(invite.token!)!, device: "Bruno", nonce: "another-nonce")
            let member = try await server.service.member(Token(device.token)!)
            let change = Change(
                key: TestServer.key(99),
                stamp: HybridTimestamp(milliseconds: server.service.now, counter: 1, replica: member.replica),
                kind: .delete)
            let push = PushRequest(number: 1, checkpoint: nil, transactions: [.init(changes: [change])])
            let reply = try await server.call(
                "POST", "/v1/push?since=", token: device.token, fields: ["Content-Type: application/x-protobuf"],
                body: push.protobuf())
            #expect(reply?.status == 200)
            #expect(try PushReply(protobuf: reply?.body ?? []).page == nil)
        }
    }

    /// A page of up to 1 MiB counts as one request. Larger pages delay the requests that follow.
    @Test func aLargePageCountsAsSeveralRequests() {
        var limits = Limits()
        (limits.requestsPerSecond, limits.requestsBurst) = (2, 4)
        let rates = RateLimits(limits)
        let replica = ReplicaID(rawValue: 1)
        #expect(throws: Never.self) { try rates.request(by: replica, now: 1000) }
        rates.bytes(1 << 20 | 1000, by: replica)
        #expect(throws: Never.self) { try rates.request(by: replica, now: 1000) }
        rates.bytes(12 << 20, by: replica)
        let error = #expect(throws: ProtocolError.self) { try rates.request(by: replica, now: 1000) }
        // The rest is 4 - 2 - 11, which is 10 less than 1, and two are added each second.
        #expect(error?.retryAfter == 5)
        #expect(throws: ProtocolError.self) { try rates.request(by: replica, now: 5999) }
        #expect(throws: Never.self) { try rates.request(by: replica, now: 6010) }
    }
}
