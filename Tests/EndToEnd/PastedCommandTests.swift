import Foundation
import TestProcesses
import Testing

/// Commands that the programs print can be pasted into a shell.
@Suite struct PastedCommandTests {
    private let folder: URL
    private var environment: [String: String] {
        [
            "XDG_CONFIG_HOME": folder.appending(path: "config").path, "LC_ALL": "C.UTF-8", "CEKIKAPEYE_GROUP": "",
            "PATH": "\(Programs.folder.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")",
        ]
    }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "roost pasted \(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func cekikapeye(_ arguments: String...) throws -> Programs.Output {
        try Programs.run("cekikapeye", arguments, environment: environment, in: folder)
    }

    private func paste(_ command: String) throws -> Programs.Output {
        try Programs.run("bash", ["-c", command], environment: environment, in: folder)
    }

    @Test(arguments: [
        "Eve$(touch pwned)", "Eve`touch pwned`", "Eve\"; touch pwned; \"", "Eve'; touch pwned; '", "-Eve",
    ])
    func aNameOfSomebodyElseRunsNothing(name: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try #require(try cekikapeye("new", "Trip", "Ana", "Bob", "--currency", "EUR").status == 0)
        try #require(try cekikapeye("person", "add", "--", name).status == 0)
        try #require(try cekikapeye("add", "5", "x", "--by", "Ana").status == 0)
        try Programs.sql(
            folder.appending(path: "trip.roost").path,
            "UPDATE spending SET person = (SELECT id FROM person WHERE name LIKE '%Eve%')")
        let deleted = try cekikapeye("person", "delete", "--yes", "--", name)
        try #require(deleted.status == 0, "\(deleted)")
        for output in [deleted, try cekikapeye("balances")] {
            let text = output.standard + output.error
            let command = try #require(text.firstMatch(of: /Bring back: (.*)/)?.output.1, "\(text)")
            #expect(try paste(String(command)).status == 0, "\(command)")
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "pwned").path), "\(command)")
            #expect(try cekikapeye("person").standard.contains("Eve"), "\(command)")
            try #require(try cekikapeye("undo").status == 0)
        }
    }

    @Test func aFolderWithASpaceIsOneWord() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let stage = try Stage()
        let file = folder.appending(path: "it's a trip.roost").path
        try Programs.check(
            "roost", "init", file, "--schema", try schema(stage), "--server", stage.address, "--device", "a",
            environment: ["ROOST_ADMIN_TOKEN": stage.adminToken])
        let local = folder.appending(path: "local file.roost").path
        let made = try Programs.check("roost", "init", local, "--schema", try schema(stage))
        #expect(made.standard.contains("roost init '\(local)' --server URL"), "\(made)")
        try FileManager.default.removeItem(atPath: file + "-token")
        let status = try Programs.check("roost", "status", file)
        let word = file.replacingOccurrences(of: "'", with: "'\\''")
        #expect(status.standard.contains("roost join LINK '\(word)'"), "\(status)")
        let sync = try Programs.run("roost", ["sync", file])
        #expect(sync.error.contains("run: roost join LINK '\(word)'"), "\(sync)")
    }

    private func schema(_ stage: Stage) throws -> String {
        try Data(Stage.schema.utf8).write(to: stage.folder.appending(path: "schema.json"))
        return stage.path("schema.json")
    }
}
