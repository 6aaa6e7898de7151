import Foundation
import GRDB
import RoostModel
import RoostProtocol
import Testing

/// The server uses its folder and the given files as they are, or refuses them and reports the remedy.
@Suite struct ServerFilesTests {
    private static func folder(_ mode: Int) throws -> String {
        let data = ServerProgram.newFolder()
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        try set(mode, data)
        return data
    }

    private static func set(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private static func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return attributes[.posixPermissions] as? Int ?? 0
    }

    private static func serve(_ data: String) throws -> ServerProgram.Outcome {
        try ServerProgram.run(["--data", data, "--listen", "127.0.0.1:0"])
    }

    @Test(arguments: [0o755, 0o770, 0o701]) func aFolderThatIsOpenToOthersStaysAsItIs(mode: Int) async throws {
        try await offTasks {
            let data = try Self.folder(mode)
            let outcome = try Self.serve(data)
            #expect(outcome.status == 74)
            #expect(outcome.errors.contains("chmod 700"))
            #expect(try Self.mode(data) == mode)
            #expect(try FileManager.default.contentsOfDirectory(atPath: data).isEmpty)
        }
    }

    @Test func aPrivateFolderIsUsed() async throws {
        try await offTasks {
            let data = try Self.folder(0o700)
            let program = try ServerProgram(data: data)
            _ = try program.makeScope(data: data)
            _ = program.stop()
            #expect(try Self.mode(data + "/token-secret") == 0o600)
        }
    }

    @Test func aLinkIsNoFolder() async throws {
        try await offTasks {
            let (data, link) = (try Self.folder(0o700), ServerProgram.newFolder())
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: data)
            let outcome = try Self.serve(link)
            #expect(outcome.status == 74)
            #expect(outcome.errors.contains("symbolic link"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: data).isEmpty)
        }
    }

    @Test(arguments: ["admin-token", "token-secret"]) func aSecretThatOthersMayReadIsRefused(name: String) async throws
    {
        try await offTasks {
            let data = ServerProgram.newFolder()
            _ = try ServerProgram(data: data).stop()
            try Self.set(0o666, data + "/" + name)
            let outcome = try Self.serve(data)
            #expect(outcome.status == 74)
            #expect(outcome.errors.contains("chmod 600"))
            #expect(try Self.mode(data + "/" + name) == 0o666)
        }
    }

    @Test(arguments: ["admin-token", "token-secret", "roost.sqlite", "roost.sqlite-wal"])
    func aLinkInTheFolderIsRefused(name: String) async throws {
        try await offTasks {
            let (data, target) = (try Self.folder(0o700), ServerProgram.newFolder())
            try Data("x".utf8).write(to: URL(filePath: target))
            try FileManager.default.createSymbolicLink(atPath: data + "/" + name, withDestinationPath: target)
            #expect(try Self.serve(data).status == 74)
            #expect(try String(contentsOfFile: target, encoding: .utf8) == "x")
        }
    }

    /// A backup does not suffice to make the token of a registration, because it contains only the request's hash.
    @Test func aBackupHasNoSecretOfTokens() async throws {
        try await offTasks {
            let data = ServerProgram.newFolder()
            let program = try ServerProgram(data: data)
            _ = try program.makeScope(data: data)
            let backup = data + "-backup"
            #expect(try ServerProgram.run(["backup", "--data", data, "--to", backup]).status == 0)
            _ = program.stop()
            let secret = try String(contentsOfFile: data + "/token-secret", encoding: .utf8)
            let bytes = try #require(Hex.decode(secret.utf8.dropLast()))
            #expect(bytes.count == 32)
            #expect(Array(try Data(contentsOf: URL(filePath: backup))).firstRange(of: bytes) == nil)
        }
    }

    /// The secret is in the folder, so a repeated request gets its answer after a restart, too.
    @Test func aRepetitionGetsItsAnswerAfterARestart() async throws {
        try await offTasks {
            let data = ServerProgram.newFolder()
            var program = try ServerProgram(data: data)
            let first = try program.makeScope(data: data)
            _ = program.stop()
            program = try ServerProgram(data: data)
            let second = try program.makeScope(data: data)
            _ = program.stop()
            #expect(second.token == first.token)
            #expect(second.replica == first.replica)
        }
    }

    @Test(arguments: [
        "CREATE TRIGGER t AFTER INSERT ON token BEGIN UPDATE replica SET role = 'owner'; END",
        "CREATE VIEW v AS SELECT * FROM token", "CREATE TABLE other(a)", "CREATE INDEX i ON token(state)",
        "CREATE VIRTUAL TABLE f USING fts5(a)",
    ])
    func aBackupWithForeignItemsIsRefused(sql: String) async throws {
        try await offTasks {
            let data = ServerProgram.newFolder()
            let program = try ServerProgram(data: data)
            _ = try program.makeScope(data: data)
            let backup = data + "-backup"
            #expect(try ServerProgram.run(["backup", "--data", data, "--to", backup]).status == 0)
            _ = program.stop()
            let database = try DatabaseQueue(path: backup)
            try database.writeWithoutTransaction { try $0.execute(sql: sql) }
            try database.close()
            let target = ServerProgram.newFolder()
            let outcome = try ServerProgram.run(["restore", "--data", target, "--from", backup])
            #expect(outcome.status == 65)
            #expect(outcome.errors.contains("which no server makes"))
            #expect(!FileManager.default.fileExists(atPath: target + "/roost.sqlite"))
        }
    }
}
