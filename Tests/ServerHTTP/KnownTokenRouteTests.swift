import RoostModel
import RoostProtocol
import RoostService
import Testing

@Suite struct KnownTokenRouteTests {
    private static let json = ["Content-Type: application/json"]

    private static func body(_ hashes: [String]) -> [UInt8] {
        JSONValue.members(("hashes", .array(hashes.map { .string($0) }))).encoded
    }

    private static func hash(_ token: String) -> String { Hex.encode(SHA256Digest.of(Array(token.utf8))) }

    @Test func theFirstKnownTokenIsNamedWithoutATokenShown() async throws {
        try await TestServer.run { server in
            let unknown = String(repeating: "0", count: 64)
            let body = Self.body([unknown, Self.hash(server.owner.token), Self.hash(server.owner.token)])
            let reply = try await server.call("POST", "/v1/token/known", token: "", fields: Self.json, body: body)
            #expect(reply?.status == 200)
            #expect(reply?.json["known"] == .integer(1))
            #expect(reply?.json["serverTime"]?.integerValue != nil)
            let none = try await server.call(
                "POST", "/v1/token/known", token: "", fields: Self.json, body: Self.body([unknown]))
            #expect(none?.status == 200)
            #expect(none?.json["known"] == nil)
        }
    }

    @Test(arguments: [
        [], ["x"], [String(repeating: "g", count: 64)], Array(repeating: String(repeating: "0", count: 64), count: 65),
    ])
    func anythingButHashesIsRefused(hashes: [String]) async throws {
        try await TestServer.run { server in
            let body = Self.body(hashes)
            let reply = try await server.call("POST", "/v1/token/known", token: "", fields: Self.json, body: body)
            #expect(reply?.code == "bad_request")
        }
    }

    /// A guess counts like a request with a wrong token.
    @Test func questionsWithoutAKnownTokenAreCounted() async throws {
        try await TestServer.run(limits: { $0.unauthenticatedPerMinute = 3 }) { server in
            let body = Self.body([String(repeating: "0", count: 64)])
            var status: Int? = 200
            // On a slow machine, a minute may pass between two requests.
            for _ in 0..<100 where status == 200 {
                status = try await server.call("POST", "/v1/token/known", token: "", fields: Self.json, body: body)?
                    .status
            }
            #expect(status == 429)
            let head = TestServer.request("POST", "/v1/token/known", fields: Self.json + ["Content-Length: 4000"])
            #expect(try await server.raw(head)?.status == 429)
        }
    }
}
