import Foundation
import TestProcesses
import Testing

/// A pipe in place of a file has no end to read to. Each program reports that or does without the file, and none waits for a
/// writer.
@Suite struct PipeTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "roost-pipe-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    /// - Returns: The path of a new pipe, which replaces an existing file.
    private func makePipe(_ name: String) throws -> String {
        try? FileManager.default.removeItem(atPath: path(name))
        try #require(mkfifo(path(name), 0o600) == 0)
        return path(name)
    }

    /// Runs a program. The status is 124 if it is still waiting after 60 seconds.
    private func run(_ program: String, _ arguments: [String]) throws -> Programs.Output {
        try Programs.run(
            "timeout", ["60", Programs.url(program).path] + arguments, environment: ["XDG_CONFIG_HOME": path("config")])
    }

    @Test func aReplicaThatIsAPipeIsNoReplica() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let pipe = try makePipe("pipe.roost")
        let link = "http://127.0.0.1:9/join#roost_i_abc"
        for (program, arguments) in [
            ("roost", ["status", pipe]), ("roost", ["sync", pipe]), ("roost", ["log", pipe]),
            ("roost", ["check", pipe]),
            ("roost", ["repair", pipe]), ("roost", ["repair", "--restore", pipe]), ("roost", ["join", link, pipe]),
            ("roostd", [pipe]), ("cekikapeye", ["list", "--group", pipe]),
        ] {
            let output = try run(program, arguments)
            #expect(output.status == 65, "\(program) \(arguments): \(output)")
            #expect(output.error.contains("it is no file") || program == "cekikapeye", "\(output)")
        }
    }

    @Test(arguments: ["-token", "-sync", "-wal", "-shm", "-journal", "-joining"])
    func aPipeBesideAReplicaHoldsNobodyUp(ending: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(Stage.schema.utf8).write(to: folder.appending(path: "schema.json"))
        let replica = path("a.roost")
        let link = "http://127.0.0.1:9/join#roost_i_abc"
        for arguments in [
            ["status", replica], ["sync", replica], ["repair", replica], ["check", replica], ["join", link, replica],
        ] {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasPrefix("a.roost")
            {
                try FileManager.default.removeItem(atPath: path(name))
            }
            try Programs.check("roost", "init", replica, "--schema", path("schema.json"))
            _ = try makePipe("a.roost" + ending)
            let output = try run("roost", arguments)
            #expect(output.status < 100 && !output.isSignalled, "\(arguments): \(output)")
        }
    }

    @Test(arguments: ["admin-token", "token-secret", "roost.sqlite", "roost.sqlite-wal"])
    func aPipeInAServersFolderIsRefused(name: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Programs.check("roost-server", "init", "--data", path("server"))
        _ = try makePipe("server/" + name)
        let output = try run("roost-server", ["serve", "--data", path("server"), "--listen", "127.0.0.1:0"])
        #expect(output.status == 74 && output.error.contains("no file"), "\(output)")
    }
}
