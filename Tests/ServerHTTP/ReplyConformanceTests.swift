import Foundation
import RoostModel
import RoostProtocol
import RoostService
import Testing

/// Replies and refusals according to protocol.md, for all kinds of requests.
@Suite struct ReplyConformanceTests {
    private static let specification: String = {
        var folder = URL(filePath: #filePath)
        for _ in 0..<3 { folder.deleteLastPathComponent() }
        return (try? String(contentsOf: folder.appending(path: "protocol.md"), encoding: .utf8)) ?? ""
    }()

    /// Every limit that has a name in §10 is reported.
    @Test func versionStatesEveryLimitThatProtocolNames() async throws {
        let section = try #require(Self.specification.components(separatedBy: "## 10. Limits").last)
        let rows = section.components(separatedBy: "\n## ")[0].split(separator: "\n").filter { $0.hasPrefix("| ") }
        let names = rows.compactMap { row in
            row.split(separator: "|").dropFirst(2).first?.split(separator: "`").dropFirst().first.map(String.init)
        }
        #expect(names.count > 20)
        try await TestServer.run { server in
            let version = try await server.call("GET", "/v1/version")
            let limits = version?.json["limits"]?.members?.map(\.name) ?? []
            #expect(Set(limits) == Set(names.filter { $0 != "in" && $0 != "limits" }))
        }
    }

    private static let requests: [(String, String, String?)] = [
        ("GET", "/v1/health", nil), ("GET", "/v1/version", nil), ("GET", "/v1/me", nil), ("GET", "/v1/devices", nil),
        ("GET", "/v1/invites", nil), ("POST", "/v1/invites", #"{"role": "viewer"}"#),
        ("DELETE", "/v1/invites/00000000", nil), ("GET", "/v1/schema", nil), ("GET", "/v1/digest", nil),
        ("GET", "/v1/pull", nil), ("POST", "/v1/push", #"{"number": 1}"#), ("POST", "/v1/recover", #"{"records": []}"#),
        ("POST", "/v1/token/rotate", nil), ("POST", "/v1/replica/renew", #"{"reason": "a", "nonce": "12345678"}"#),
        ("PUT", "/v1/schema", "SCHEMA"), ("POST", "/v1/devices/OWN/role", #"{"role": "owner"}"#),
        ("POST", "/v1/devices/OWN/revoke", nil), ("GET", "/v1/nothing", nil), ("POST", "/v1/pull", nil),
        ("POST", "/v1/push", "{"), ("GET", "/v1/pull?wait=99", nil),
    ]

    /// A client learns the offset of its clock from `serverTime` (§6.4), and no reply may be cached (§3).
    @Test(arguments: requests)
    func everyReplyHasTheTimeAndIsNotCached(method: String, path: String, body: String?) async throws {
        try await TestServer.run { server in
            let schema = JSONValue.members(("schema", .string(TestServer.schema))).text
            let text = body == "SCHEMA" ? schema : body ?? ""
            let reply = try #require(
                try await server.call(
                    method, path.replacing("OWN", with: server.owner.replica.description),
                    fields: body == nil ? [] : ["Content-Type: application/json"], body: Array(text.utf8)))
            let time = (reply.json["error"] ?? reply.json)["serverTime"]?.integerValue
            #expect(time.map { abs($0 - Int64(server.service.now)) < 60_000 } == true, "\(reply.json.text)")
            #expect(reply.field("Cache-Control") == "no-store")
            #expect(reply.field("Date") != nil)
        }
    }

    /// Replies to requests that need earlier requests.
    @Test func otherRepliesHaveTheTimeToo() async throws {
        try await TestServer.run { server in
            let owner = try await server.service.member(try #require(Token(server.owner.token)))
            let invite = try await server.service.createInvite(role: .editor, hours: nil, uses: 1, by: owner)
            let push = server.push(1).protobuf()
            let stored = try await server.call(
                "POST", "/v1/push", fields: ["Content-Type: application/x-protobuf", "Accept: application/json"],
                body: push)
            let hash = Hex.encode(SHA256Digest.of(push))
            let scope = JSONValue.members(
                ("name", .string("Rome")), ("device", .string("Ana")), ("schema", .string(TestServer.schema)),
                ("nonce", .string("rome-nonce")))
            let join = JSONValue.members(
                ("invite", invite.token.map { .string($0) }), ("device", .string("Bruno")),
                ("nonce", .string("join-nonce")))
            let replies = [
                stored, try await server.post("/v1/scopes", token: TestServer.adminToken.text, scope),
                try await server.post("/v1/join", join),
                try await server.post("/v1/token/known", .members(("hashes", .array([.string(hash)])))),
                try await server.call("GET", "/v1/push?number=1&hash=\(hash)", fields: ["Accept: application/json"]),
            ]
            #expect(replies.map(\.?.status) == [200, 201, 201, 200, 200])
            for reply in replies {
                let json = try #require(reply).json
                let time = json["serverTime"]?.integerValue
                #expect(time.map { abs($0 - Int64(server.service.now)) < 60_000 } == true, "\(json.text)")
                #expect(reply?.field("Cache-Control") == "no-store")
            }
        }
    }

    /// A refusal of a request that could not be parsed has the form of all others.
    @Test(arguments: [
        "nonsense\r\n\r\n", "GET /v1/health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET /v1/health HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 1 << 20))\r\n\r\n",
        "BREW /v1/health HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
    func refusalOfWhatCannotBeReadIsLikeOthers(text: String) async throws {
        try await TestServer.run { server in
            let reply = try #require(try await server.raw(Array(text.utf8)))
            #expect(reply.field("Cache-Control") == "no-store")
            #expect(reply.field("Date") != nil)
            #expect(reply.json["error"]?["serverTime"]?.integerValue != nil)
        }
    }

    @Test(arguments: [
        "BREW", "GETS", "get", "Post", "M-SEARCH", "PURGE", "PATCH", "OPTIONS", "TRACE", "HEAD", "X",
        "A-METHOD-OF-MORE-THAN-SIXTEEN-LETTERS",
    ])
    func unknownMethodIsNotAllowed(method: String) async throws {
        try await TestServer.run { server in
            let reply = try #require(try await server.raw(TestServer.request(method, "/v1/health")))
            #expect(reply.status == 405)
            if method != "HEAD" { #expect(reply.code == "method_not_allowed") }
        }
    }

    /// A reply lists the methods of a path, as RFC 9110 requires.
    @Test func methodsOfAPathAreNamed() async throws {
        try await TestServer.run { server in
            let reply = try await server.call("DELETE", "/v1/schema")
            #expect(reply?.status == 405)
            #expect(reply?.field("Allow") == "GET, PUT")
        }
    }

    @Test(arguments: [
        "wait=1&wait=2", "since=&since=", "limit=5&wait=0&limit=5", "ahead=0&ahead=0", "wait=+1", "wait=01",
    ])
    func parameterHasOneValueInOneForm(query: String) async throws {
        try await TestServer.run { server in
            let code = try await server.call("GET", "/v1/pull?\(query)")?.code
            #expect(code == "bad_request")
        }
    }

    @Test func parametersThatAreNotKnownMayRepeat() async throws {
        try await TestServer.run { server in
            let status = try await server.call("GET", "/v1/pull?x=1&x=2&wait=0")?.status
            #expect(status == 200)
        }
    }

    @Test(arguments: ["nonsense", "100-continue, nonsense", "200-ok"])
    func expectationThatNobodyMeetsIsABadRequest(expectation: String) async throws {
        try await TestServer.run { server in
            let reply = try await server.call("GET", "/v1/me", fields: ["Expect: \(expectation)"])
            #expect(reply?.code == "bad_request")
        }
    }

    /// A size beyond the server's counters is refused as soon as it is read.
    @Test(arguments: ["8000000000000000", "ffffffffffffffff", "10000000000000000"])
    func chunkThatNobodyCouldSendIsRefused(size: String) async throws {
        try await TestServer.run { server in
            let fields = ["Content-Type: application/json", "Transfer-Encoding: chunked"]
            let request = TestServer.request("POST", "/v1/push", token: server.owner.token, fields: fields)
            let reply = try #require(try await server.raw(request + Array("\(size)\r\n{}".utf8)))
            #expect(reply.status == 400)
            #expect(try await server.isHealthy())
        }
    }
}
