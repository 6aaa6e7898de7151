import Foundation
import RoostModel
import RoostProtocol
import Testing

/// The whole program with its folder, signals and exit statuses.
@Suite struct ServerProgramTests {
    private static func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
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

    /// The volume with the database is not mounted, and the token comes from elsewhere.
    @Test func folderWithATokenAndNoDatabaseIsNotServed() async throws {
        try await offTasks {
            let data = ServerProgram.newFolder()
            _ = try ServerProgram(data: data).stop()
            try FileManager.default.removeItem(atPath: data + "/roost.sqlite")
            let serve = try ServerProgram.run(["serve", "--data", data, "--listen", "127.0.0.1:0"])
            #expect(serve.status == 74)
            #expect(serve.errors.contains("roost-server restore") && serve.errors.contains("roost-server init"))
            #expect(!FileManager.default.fileExists(atPath: data + "/roost.sqlite"))
            let token = try String(contentsOfFile: data + "/admin-token", encoding: .utf8)
            #expect(try ServerProgram.run(["init", "--data", data]).status == 0)
            #expect(try String(contentsOfFile: data + "/admin-token", encoding: .utf8) == token)
            #expect(try ServerProgram(data: data).stop().status == 0)
        }
    }

    @Test func databaseIsNotBegunAgain() throws {
        let data = ServerProgram.newFolder()
        #expect(try ServerProgram.run(["init", "--data", data]).status == 0)
        let again = try ServerProgram.run(["init", "--data", data])
        #expect(again.status == 74)
        #expect(again.errors.contains("it has a database"))
    }

    /// The first start died after it had created the database, and before it created the token.
    @Test func firstStartThatWasCutOffIsCompleted() async throws {
        try await offTasks {
            let data = ServerProgram.newFolder()
            #expect(try ServerProgram.run(["init", "--data", data]).status == 0)
            try FileManager.default.removeItem(atPath: data + "/admin-token")
            let program = try ServerProgram(data: data)
            defer { _ = program.stop() }
            #expect(FileManager.default.fileExists(atPath: data + "/admin-token"))
        }
    }

    /// A start died while it wrote a secret, or a start of an earlier version, which left the file empty.
    @Test func aSecretThatWasCutOffIsMadeAnew() async throws {
        try await offTasks {
            let data = ServerProgram.newFolder()
            #expect(try ServerProgram.run(["init", "--data", data]).status == 0)
            try Data().write(to: URL(filePath: data + "/token-secret"))
            try #require(chmod(data + "/token-secret", 0o600) == 0)
            try Data("half".utf8).write(to: URL(filePath: data + "/token-secret.new"))
            #expect(try ServerProgram(data: data).stop().status == 0)
            #expect(try String(contentsOfFile: data + "/token-secret", encoding: .utf8).utf8.count == 65)
            #expect(try Self.permissions(data + "/token-secret") == 0o600)
            #expect(!FileManager.default.fileExists(atPath: data + "/token-secret.new"))
        }
    }

    @Test func restartKeepsEverything() async throws {
        try await offTasks {
            let data = ServerProgram.newFolder()
            let first = try ServerProgram(data: data)
            let owner = try first.makeScope(data: data)
            let before = try first.call("GET", "/v1/pull", token: owner.token)?.json["checkpoint"]?
                .stringValue
            #expect(first.stop().status == 0)
            let second = try ServerProgram(data: data)
            defer { _ = second.stop() }
            let reply = try second.call("GET", "/v1/pull?since=\(before ?? "")", token: owner.token)
            #expect(reply?.status == 200)
            #expect(reply?.json["checkpoint"]?.stringValue == before)
        }
    }

    @Test func signalEndsWaitingPullsAtOnce() async throws {
        let data = ServerProgram.newFolder()
        let program = try await offTasks { try ServerProgram(data: data) }
        let owner = try await offTasks { try program.makeScope(data: data) }
        let waiting = Task {
            try await offTasks { try program.call("GET", "/v1/pull?wait=50", token: owner.token)?.status }
        }
        let end = try await offTasks {
            // Another request to the server is answered only after the server has read the waiting one.
            while try program.call("GET", "/v1/me", token: owner.token)?.status != 200 {}
            return program.stop()
        }
        #expect(end.status == 0)
        // The server has not waited for the pull, whose client would have timed out later.
        #expect(end.seconds < 20)
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
            try FileManager.default.createDirectory(
                atPath: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
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
            let owner = try program.makeScope(data: data)
            _ = try program.call("GET", "/v1/me", token: owner.token)
            _ = try program.call("GET", "/v1/me", token: "roost_d_wrong")
            _ = try program.call("GET", "/v1/%0Ainjected\u{1B}[31m", token: owner.token)
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

    @Test(arguments: [
        "CONNECTIONS_MAX", "PAGE_BYTES_MAX", "RECOVERING_DAYS", "INVITE_HOURS_MAX", "CLOCK_AHEAD_MILLISECONDS_MAX",
        "REQUESTS_PER_SECOND", "COMPRESSION_RATIO_MAX", "BYTES_PER_SCOPE_MAX",
    ])
    func limitThatNoServerCanWorkWithIsAUsageError(name: String) async throws {
        try await offTasks {
            let outcome = try ServerProgram.run(
                ["--data", ServerProgram.newFolder(), "--listen", "127.0.0.1:0"],
                environment: ["ROOST_" + name: "9223372036854775807"])
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("ROOST_" + name))
        }
    }

    /// Without /proc, a program sees no arguments, not even given ones.
    @Test func startWithoutArgumentsServesNothing() async throws {
        try await offTasks {
            let outcome = try ServerProgram.run([], environment: ["ROOST_PUT_BYTES_MAX": "-1"])
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("roost-server serve"))
            #expect(!outcome.errors.contains("ROOST_PUT_BYTES_MAX"))
        }
    }

    /// A folder instead of the database cannot be written by any user, like a read-only file system.
    @Test func databaseThatCannotBeWrittenIsNamed() async throws {
        try await offTasks {
            let data = ServerProgram.newFolder()
            _ = try ServerProgram(data: data).stop()
            try FileManager.default.removeItem(atPath: data + "/roost.sqlite")
            try FileManager.default.createDirectory(atPath: data + "/roost.sqlite", withIntermediateDirectories: false)
            let outcome = try ServerProgram.run(["--data", data, "--listen", "127.0.0.1:0"])
            #expect(outcome.status == 74)
            #expect(
                outcome.errors.contains(data + "/roost.sqlite") && outcome.errors.contains("it is a link or no file"))
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
