import Foundation
import RoostModel
import RoostProtocol
import Testing

/// The program as a whole: its folder, its signals, its statuses.
@Suite struct ServerProgramTests {
    private static func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private static func call(
        _ port: Int, _ method: String, _ path: String, token: String?, _ body: JSONValue? = nil
    ) throws -> RawConnection.Reply? {
        let connection = try RawConnection(port: port, seconds: 30)
        let fields = body == nil ? [] : ["Content-Type: application/json"]
        connection.send(TestServer.request(method, path, token: token, fields: fields, body: body?.encoded ?? []))
        return connection.receive()
    }

    private static func makeScope(_ port: Int, data: String) throws -> Registration {
        let admin = try String(contentsOfFile: data + "/admin-token", encoding: .utf8).trimmingCharacters(
            in: .whitespacesAndNewlines)
        let body = JSONValue.members(
            ("name", .string("Lisbon")), ("device", .string("Ana")), ("schema", .string(TestServer.schema)),
            ("nonce", .string("program-nonce")))
        return try Registration(json: call(port, "POST", "/v1/scopes", token: admin, body)?.json ?? .null)
    }

    @Test func folderAndTokenArePrivate() async throws {
        try await offTasks {
            let data = ServerProgram.newFolder()
            let program = try ServerProgram(data: data)
            defer { _ = program.stop() }
            #expect(try Self.permissions(data) == 0o700)
            #expect(try Self.permissions(data + "/admin-token") == 0o600)
            #expect(try Self.permissions(data + "/roost.sqlite") == 0o600)
        }
    }

    @Test func restartKeepsEverything() async throws {
        try await offTasks {
            let data = ServerProgram.newFolder()
            let first = try ServerProgram(data: data)
            let owner = try Self.makeScope(first.port, data: data)
            let before = try Self.call(first.port, "GET", "/v1/pull", token: owner.token)?.json["checkpoint"]?
                .stringValue
            #expect(first.stop().status == 0)
            let second = try ServerProgram(data: data)
            defer { _ = second.stop() }
            let reply = try Self.call(second.port, "GET", "/v1/pull?since=\(before ?? "")", token: owner.token)
            #expect(reply?.status == 200)
            #expect(reply?.json["checkpoint"]?.stringValue == before)
        }
    }

    @Test func signalEndsWaitingPullsAtOnce() async throws {
        let data = ServerProgram.newFolder()
        let program = try await offTasks { try ServerProgram(data: data) }
        let owner = try await offTasks { try Self.makeScope(program.port, data: data) }
        let waiting = Task {
            try await offTasks { try Self.call(program.port, "GET", "/v1/pull?wait=50", token: owner.token)?.status }
        }
        let end = try await offTasks {
            // A second request on the same server is answered only after the first has been read.
            while try Self.call(program.port, "GET", "/v1/me", token: owner.token)?.status != 200 {}
            return program.stop()
        }
        #expect(end.status == 0)
        #expect(end.seconds < 5)
        _ = try? await waiting.value
    }

    @Test func secondServerOnAFolderIsRefused() async throws {
        try await offTasks {
            let data = ServerProgram.newFolder()
            let program = try ServerProgram(data: data)
            defer { _ = program.stop() }
            let second = try ServerProgram.run(["--data", data, "--listen", "127.0.0.1:0"])
            #expect(second.status == 74)
            #expect(second.errors.contains("another roost-server"))
        }
    }

    @Test(arguments: ["0.0.0.0:0", "192.0.2.1:80", "example.org:1", "127.0.0.1.evil.example:1", "127.0.0.1", "x:99999"])
    func addressThatIsNotLoopbackIsAUsageError(address: String) async throws {
        try await offTasks {
            let outcome = try ServerProgram.run(["--data", ServerProgram.newFolder(), "--listen", address])
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("Cannot listen"))
        }
    }

    @Test func addressThatIsTakenIsUnavailable() async throws {
        try await offTasks {
            let program = try ServerProgram(data: ServerProgram.newFolder())
            defer { _ = program.stop() }
            let second = try ServerProgram.run(
                ["--data", ServerProgram.newFolder(), "--listen", "127.0.0.1:\(program.port)"])
            #expect(second.status == 69)
        }
    }

    @Test func dataOfAnotherProgramIsRefused() async throws {
        try await offTasks {
            let data = ServerProgram.newFolder()
            try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
            try Data("this is the data of something else altogether".utf8).write(
                to: URL(filePath: data + "/roost.sqlite"))
            let outcome = try ServerProgram.run(["--data", data, "--listen", "127.0.0.1:0"])
            #expect(outcome.status == 74)
            #expect(outcome.errors.contains("not the data of a roost-server"))
        }
    }

    @Test func tokensAreNeverLogged() async throws {
        try await offTasks {
            let data = ServerProgram.newFolder()
            let program = try ServerProgram(data: data, ["--log-level", "trace", "--log-format", "json"])
            let owner = try Self.makeScope(program.port, data: data)
            _ = try Self.call(program.port, "GET", "/v1/me", token: owner.token)
            _ = try Self.call(program.port, "GET", "/v1/me", token: "roost_d_wrong")
            _ = try Self.call(program.port, "GET", "/v1/%0Ainjected\u{1B}[31m", token: owner.token)
            _ = program.stop()
            #expect(program.log.contains("request refused"))
            #expect(!program.log.contains("roost_d_"))
            #expect(!program.log.contains("roost_a_"))
            #expect(!program.log.contains("\u{1B}"))
        }
    }

    @Test(arguments: ["sqlite", "memory"])
    func replayPrintsALineForEachHistory(store: String) async throws {
        try await offTasks {
            let input = """
                {"changes":[{"record":"p","stamp":5,"put":{"a":"q"}},{"record":"q","stamp":1,"put":{}}]}
                {"changes":[{"record":"p","stamp":5,"put":{"a":"q"}}]}

                """
            let outcome = try ServerProgram.run(["replay", "--store", store, "--explain"], input: input)
            #expect(outcome.status == 0)
            #expect(
                outcome.output == """
                    {"visible":{"p":{"stamp":5,"refs":{"a":"q"}},"q":{"stamp":1,"refs":{}}},"why":{}}
                    {"visible":{},"why":{"p":"hidden because of q"}}

                    """)
        }
    }

    @Test func replayNamesALineThatIsNoHistory() async throws {
        try await offTasks {
            let outcome = try ServerProgram.run(["replay"], input: "{\"changes\":[]}\nnonsense\n")
            #expect(outcome.status == 65)
            #expect(outcome.output == "{}\n")
            #expect(outcome.errors.contains("line 2"))
        }
    }

    @Test(arguments: ["-1", "many"])
    func limitThatIsNoNumberIsAUsageError(value: String) async throws {
        try await offTasks {
            let outcome = try ServerProgram.run(
                ["--data", ServerProgram.newFolder(), "--listen", "127.0.0.1:0"],
                environment: ["ROOST_PUT_BYTES_MAX": value])
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("ROOST_PUT_BYTES_MAX"))
        }
    }
}
