import RoostModel
import RoostProtocol
import RoostService
import Testing

@Suite struct AccessRouteTests {
    private static let memberRoutes: [(String, String)] = [
        ("POST", "/v1/push"), ("GET", "/v1/push?number=1"), ("GET", "/v1/pull"), ("GET", "/v1/me"),
        ("GET", "/v1/devices"), ("GET", "/v1/invites"),
        ("POST", "/v1/invites"), ("DELETE", "/v1/invites/a"), ("POST", "/v1/devices/a/revoke"),
        ("POST", "/v1/devices/a/role"), ("POST", "/v1/token/rotate"), ("GET", "/v1/schema"), ("PUT", "/v1/schema"),
        ("GET", "/v1/digest"), ("POST", "/v1/replica/renew"), ("POST", "/v1/recover"), ("POST", "/v1/scopes"),
    ]

    private static let badTokens = [
        "", "x", "roost_d_0000", "Basic eA==", TestServer.adminToken.text + "x",
        Token(.device) { _ in [UInt8](repeating: 3, count: 32) }.text,
        Token(.invite) { _ in [UInt8](repeating: 3, count: 32) }.text,
    ]

    @Test(arguments: memberRoutes)
    func routeWithoutATokenIsUnauthorized(method: String, path: String) async throws {
        try await TestServer.run { server in
            let reply = try await server.raw(TestServer.request(method, path))
            #expect(reply?.status == 401)
            #expect(reply?.code == "unauthorized")
        }
    }

    /// Refusals name the server, too, so an unknown device can tell whether it called its own server.
    @Test func everyReplyNamesTheServer() async throws {
        try await TestServer.run { server in
            let known = try await server.call("GET", "/v1/me", token: server.owner.token)
            let unknown = try await server.call("GET", "/v1/me", token: "x")
            let identity = known?.field("Roost-Server")
            #expect(identity?.utf8.count == 16)
            #expect(unknown?.field("Roost-Server") == identity)
        }
    }

    @Test(arguments: badTokens)
    func wrongTokenIsUnauthorized(token: String) async throws {
        try await TestServer.run { server in
            let status = try await server.call("GET", "/v1/me", token: token)?.status
            #expect(status == 401)
        }
    }

    @Test func tokenElsewhereThanInItsFieldIsNotLookedAt() async throws {
        try await TestServer.run { server in
            let token = server.owner.token
            let paths = ["/v1/me?token=\(token)", "/v1/me?access_token=\(token)"]
            for path in paths {
                let status = try await server.raw(TestServer.request("GET", path))?.status
                #expect(status == 401)
            }
            let cookie = TestServer.request("GET", "/v1/me", fields: ["Cookie: token=\(token)"])
            let status = try await server.raw(cookie)?.status
            #expect(status == 401)
        }
    }

    @Test func twoAuthorizationFieldsAreUnauthorized() async throws {
        try await TestServer.run { server in
            let fields = ["Authorization: Bearer \(server.owner.token)"]
            let status = try await server.call("GET", "/v1/me", fields: fields)?.status
            #expect(status == 401)
        }
    }

    /// The check for `revoked` precedes all other checks of a request (protocol.md §6.1).
    @Test(arguments: [
        ("POST", "/v1/push", "{"), ("POST", "/v1/push?since=zz", "{}"), ("GET", "/v1/pull?wait=99", ""),
        ("POST", "/v1/recover", "["), ("POST", "/v1/invites", "{"), ("PUT", "/v1/schema", "{"), ("GET", "/v1/me", ""),
    ])
    func revokedDeviceHearsOnlyThat(method: String, path: String, body: String) async throws {
        try await TestServer.run { server in
            let invite = try await server.post("/v1/invites", .members(("role", .string("editor"))))
            let join = JSONValue.members(
                ("invite", invite?.json["token"]), ("device", .string("Bruno")), ("nonce", .string("bruno-nonce")))
            let other = try Registration(json: try await server.post("/v1/join", join)?.json ?? .null)
            let revoked = try await server.call("POST", "/v1/devices/\(other.replica)/revoke")
            #expect(revoked?.status == 200)
            let reply = try await server.call(
                method, path, token: other.token, fields: ["Content-Type: text/plain"], body: Array(body.utf8))
            #expect(reply?.code == "revoked")
        }
    }

    @Test func scopeIsMadeWithTheAdminToken() async throws {
        try await TestServer.run { server in
            let body = JSONValue.members(
                ("name", .string("Porto")), ("device", .string("Ana")), ("schema", .string(TestServer.schema)),
                ("nonce", .string("porto-nonce")))
            #expect(try await server.post("/v1/scopes", body)?.status == 401)
            let reply = try await server.post("/v1/scopes", token: TestServer.adminToken.text, body)
            #expect(reply?.status == 201)
            #expect(try Registration(json: reply?.json ?? .null).role == .owner)
        }
    }

    @Test func inviteIsRedeemedOnce() async throws {
        try await TestServer.run { server in
            let invite = try await server.post("/v1/invites", .members(("role", .string("editor"))))
            #expect(invite?.status == 201)
            func join(_ nonce: String) async throws -> RawConnection.Reply? {
                let body = JSONValue.members(
                    ("invite", invite?.json["token"]), ("device", .string("Bruno")), ("nonce", .string(nonce)))
                return try await server.raw(
                    TestServer.request(
                        "POST", "/v1/join", fields: ["Content-Type: application/json"], body: body.encoded))
            }
            let first = try await join("first-nonce")
            #expect(first?.status == 201)
            #expect(try await join("first-nonce")?.json["token"] == first?.json["token"])
            let other = try await join("other-nonce")
            #expect(other?.status == 410)
            #expect(other?.code == "invite_used")
        }
    }

    @Test func ownerAsksAboutItsScope() async throws {
        try await TestServer.run { server in
            let me = try await server.call("GET", "/v1/me")
            #expect(me?.json["replica"]?.stringValue == server.owner.replica.description)
            #expect(me?.json["lastPush"]?.integerValue == 0)
            #expect(try await server.call("GET", "/v1/devices")?.json["devices"]?.arrayValue?.count == 1)
            #expect(try await server.call("GET", "/v1/schema")?.json["schema"]?.stringValue == TestServer.schema)
            #expect(try await server.call("GET", "/v1/digest")?.json["records"]?.integerValue == 0)
        }
    }

    @Test func lastOwnerIsAConflict() async throws {
        try await TestServer.run { server in
            let path = "/v1/devices/\(server.owner.replica)/role"
            let reply = try await server.post(path, .members(("role", .string("viewer"))))
            #expect(reply?.status == 409)
            #expect(reply?.code == "last_owner")
        }
    }

    @Test func anotherScopesDeviceIsMissingLikeOneThatIsNot() async throws {
        try await TestServer.run { server in
            let other = try await server.service.createScope(
                name: "Porto", device: "Eva", schema: TestServer.schema, nonce: "porto-nonce")
            let foreign = try await server.call("POST", "/v1/devices/\(other.replica)/revoke")
            let missing = try await server.call("POST", "/v1/devices/0123456789abcdef/revoke")
            #expect(foreign?.status == 404)
            #expect(foreign?.json["error"]?["message"] == missing?.json["error"]?["message"])
        }
    }

    @Test func rotatedTokenWorks() async throws {
        try await TestServer.run { server in
            let token = try await server.call("POST", "/v1/token/rotate")?.json["token"]?.stringValue
            #expect(try await server.call("GET", "/v1/me", token: token)?.status == 200)
            // The reuse of the old token does not lock out the last owner.
            #expect(try await server.call("GET", "/v1/me")?.code == "unauthorized")
        }
    }

    @Test func versionAndHealthNeedNoToken() async throws {
        try await TestServer.run { server in
            let version = try await server.raw(TestServer.request("GET", "/v1/version"))
            #expect(version?.json["protocol"]?.arrayValue == [.integer(1)])
            #expect(version?.json["limits"]?["changesPerPushMax"]?.integerValue == 10_000)
            #expect(try await server.raw(TestServer.request("GET", "/v1/health"))?.status == 200)
        }
    }

    @Test(arguments: ["/", "/v1", "/v1/", "/v2/pull", "/v1/pull/", "/v1/invites/", "/v1/devices/a/b", "/v1/../v1/me"])
    func unknownPathIsNotFound(path: String) async throws {
        try await TestServer.run { server in
            let code = try await server.call("GET", path)?.code
            #expect(code == "not_found")
        }
    }

    @Test(arguments: memberRoutes)
    func otherMethodsHaveNoEffect(method: String, path: String) async throws {
        try await TestServer.run { server in
            for other in ["HEAD", "OPTIONS", "PATCH", "TRACE"] {
                let status = try await server.call(other, path)?.status
                #expect(status == 405)
            }
        }
    }
}
