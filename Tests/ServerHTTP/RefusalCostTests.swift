import Foundation
import RoostCompression
import RoostModel
import RoostProtocol
import RoostService
import Testing

@testable import ServerHTTP

/// Requests are refused before they need resources.
@Suite struct RefusalCostTests {
    private static let protobuf = ["Content-Type: application/x-protobuf"]

    /// Joins a device with a role, by an invite of the owner.
    private func device(_ role: Role, of server: TestServer) async throws -> Registration {
        let owner = try await server.service.member(Token(server.owner.token)!)
        let invite = try await server.service.createInvite(role: role, hours: nil, uses: 1, by: owner)
        return try await server.service.join(
            invite: Token(invite.token!)!, device: "Bruno", nonce: "nonce-of-\(role.rawValue)")
    }

    /// The server answers after the head. The announced body never arrives.
    @Test(arguments: [
        ("POST", "/v1/push", Role.viewer), ("POST", "/v1/recover", .viewer), ("PUT", "/v1/schema", .editor),
        ("POST", "/v1/invites", .editor), ("POST", "/v1/devices/0000000000000001/role", .editor),
        ("POST", "/v1/devices/0000000000000001/revoke", .editor),
    ])
    func aRoleIsLookedAtBeforeTheBody(method: String, path: String, role: Role) async throws {
        try await TestServer.run { server in
            let device = try await device(role, of: server)
            let type = path.contains("push") || path.contains("recover") ? "application/x-protobuf" : "application/json"
            let head = TestServer.request(
                method, path, token: device.token, fields: ["Content-Type: \(type)", "Content-Length: 4000"])
            let reply = try await server.raw(head)
            #expect(reply?.status == 403)
            #expect(reply?.code == "forbidden")
        }
    }

    /// The device was an editor when it sent the push, and the reply was lost.
    @Test func aLoweredDeviceGetsTheReplyToItsLastPush() async throws {
        try await TestServer.run { server in
            let device = try await device(.editor, of: server)
            let put = Put(content: ContentCoding.encode([.init(property: PropertyID(1), value: .string("a"))]))
                .encoded()
            func push(_ number: UInt64) -> [UInt8] {
                let change = Change(
                    key: RecordKey(entity: EntityID(1), id: RecordID(high: 1, low: number)),
                    stamp: HybridTimestamp(time: server.service.now << 16 | number, replica: device.replica),
                    kind: .put(put, base: nil))
                return PushRequest(number: number, checkpoint: nil, transactions: [.init(changes: [change])]).protobuf()
            }
            let body = push(1)
            let first = try await server.call(
                "POST", "/v1/push", token: device.token, fields: Self.protobuf, body: body)
            #expect(first?.status == 200)
            let owner = try await server.service.member(Token(server.owner.token)!)
            try await server.service.setRole(.viewer, of: device.replica, by: owner)
            let again = try await server.call(
                "POST", "/v1/push", token: device.token, fields: Self.protobuf, body: body)
            #expect(again?.status == 200)
            #expect(again?.body == first?.body)
            let next = try await server.call(
                "POST", "/v1/push", token: device.token, fields: Self.protobuf, body: push(2))
            #expect(next?.status == 403)
        }
    }

    /// The decompressed size of a body counts against its sender's rate, even if the body is only hashed or turns out to be
    /// corrupt.
    @Test(arguments: [true, false]) func aCompressedBodyCostsItsSenderRequests(isViewer: Bool) async throws {
        try await TestServer.run(limits: { ($0.requestsPerSecond, $0.requestsBurst) = (1, 20) }) { server in
            let device = try await device(.editor, of: server)
            let empty = PushRequest(number: 1, checkpoint: nil, transactions: []).protobuf()
            let first = try await server.call(
                "POST", "/v1/push", token: device.token, fields: Self.protobuf, body: empty)
            #expect(first?.status == 200)
            if isViewer {
                let owner = try await server.service.member(Token(server.owner.token)!)
                try await server.service.setRole(.viewer, of: device.replica, by: owner)
            }
            // 15 MiB that gzip compresses to about a hundred thousand bytes.
            var random = SystemRandomNumberGenerator()
            let block = (0..<600).map { _ in UInt8.random(in: 0...255, using: &random) }
            let bytes = [UInt8]((0..<480).map { _ in block + [UInt8](repeating: 0, count: 32_000) }.joined())
            var body = try Compression.gzip(bytes)
            // Corrupts the checksum at the end.
            if !isViewer { body[body.count - 8] ^= 1 }
            let fields = Self.protobuf + ["Content-Encoding: gzip"]
            var statuses: [Int?] = []
            for _ in 0..<3 {
                statuses.append(
                    try await server.call("POST", "/v1/push", token: device.token, fields: fields, body: body)?.status)
            }
            #expect(statuses == [isViewer ? 403 : 400, isViewer ? 403 : 400, 429])
        }
    }

    /// After too many guesses, requests to join are refused after their heads, without a lookup of the invite.
    @Test func joinsOfAnAddressThatGuessesAreNotRead() async throws {
        try await TestServer.run(limits: { $0.unauthenticatedPerMinute = 1 }) { server in
            let unknown = Token(.invite) { _ in [UInt8](repeating: 3, count: 32) }.text
            let guess = JSONValue.members(
                ("invite", .string(unknown)), ("device", .string("x")), ("nonce", .string("some-nonce"))
            ).encoded
            let json = ["Content-Type: application/json"]
            // On a slow machine, a minute may pass between two requests.
            var status: Int? = 401
            for _ in 0..<100 where status == 401 {
                status = try await server.call("POST", "/v1/join", token: "", fields: json, body: guess)?.status
            }
            #expect(status == 429)
            let head = TestServer.request("POST", "/v1/join", fields: json + ["Content-Length: 4000"])
            let reply = try await server.raw(head)
            #expect(reply?.status == 429)
            #expect(reply?.field("Connection") == "close")
            let member = try await server.call("GET", "/v1/me")?.status
            #expect(member == 200)
        }
    }

    /// Each answer is delayed, so the connections of the address together take little processor time.
    @Test func anAddressThatGuessesOnWaitsForEachAnswer() async throws {
        let wait = 200
        try await TestServer.run(
            limits: { $0.unauthenticatedPerMinute = 1 }, settings: { $0.blockedMilliseconds = Int64(wait) }
        ) { server in
            let start = ContinuousClock.now
            var answers = 0
            for _ in 0..<10 {
                let status = try await server.call("GET", "/v1/me", token: "roost_d_unknown")?.status
                if status == 429 { answers += 1 }
            }
            #expect(answers >= 8)
            #expect(ContinuousClock.now - start >= .milliseconds(answers * wait))
            let member = try await server.call("GET", "/v1/me")?.status
            #expect(member == 200)
        }
    }

    @Test func anAddressIsHeldUpAsLongAsItWasTold() {
        let rates = RateLimits(Limits())
        for _ in 0...10 { try? rates.failure(from: "192.0.2.1", now: 1000) }
        #expect(throws: ProtocolError.self) { try rates.check("192.0.2.1", now: 2000) }
        #expect(throws: Never.self) { try rates.check("192.0.2.2", now: 2000) }
        #expect(throws: Never.self) { try rates.check("192.0.2.1", now: 100_000) }
    }

    /// Without a configured name, only a proxy on this machine is trusted. Elsewhere any caller could claim any address.
    @Test func onlyAProxyOfOursSaysWhoAsks() {
        var settings = HTTPSettings(adminToken: TestServer.adminToken.hash)
        #expect(settings.client(of: "127.0.0.1", forwardedFor: "192.0.2.9") == "127.0.0.1")
        settings.isBehindProxy = true
        for loopback in ["127.0.0.1", "127.9.9.9", "::1"] {
            #expect(settings.client(of: loopback, forwardedFor: "192.0.2.8, 192.0.2.9") == "192.0.2.9")
            #expect(settings.client(of: loopback, forwardedFor: nil) == loopback)
        }
        for stranger in ["192.0.2.1", "10.0.0.2", "2001:db8::1", "local"] {
            #expect(settings.client(of: stranger, forwardedFor: "192.0.2.9") == stranger)
        }
        settings.trustedProxies = ["10.0.0.2"]
        #expect(settings.client(of: "10.0.0.2", forwardedFor: "192.0.2.9") == "192.0.2.9")
        #expect(settings.client(of: "10.0.0.3", forwardedFor: "192.0.2.9") == "10.0.0.3")
    }

    @Test func trustedProxiesAreNotCountedByAddress() {
        let table = ConnectionTable(totalMax: 5, perAddressMax: 1, proxies: ["10.0.0.2"])
        #expect(table.open("10.0.0.2"))
        #expect(table.open("10.0.0.2"))
        #expect(table.open("::ffff:10.0.0.2"))
        #expect(table.open("10.0.0.3"))
        #expect(!table.open("10.0.0.3"))
    }
}
