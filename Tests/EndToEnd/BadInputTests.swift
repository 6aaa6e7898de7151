import Foundation
import TestProcesses
import Testing

/// Bad input gets an error that says what, where, why and what to do, a status of its own, and changes nothing.
@Suite final class BadInputTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "roost-bad-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private func file(_ name: String, _ content: String) throws -> String {
        let url = folder.appending(path: name)
        try Data(content.utf8).write(to: url)
        return url.path
    }

    @Test func schemaErrorsNameEntityPropertyAndCure() throws {
        let schema = try file(
            "schema.json",
            #"{"format": 1, "name": "x", "entities": [{"id": 1, "name": "A", "attributes": [{"id": 1, "name": "n", "type": "text"}]}]}"#
        )
        let output = try Programs.run("roost", ["schema", "check", schema])
        #expect(output.status == 65)
        #expect(output.standard.contains("entity \"A\", property \"n\"") && output.standard.contains("Choose one of"))
    }

    @Test func brokenSchemaMakesNoReplica() throws {
        let schema = try file("broken.json", "{\"format\": 1,")
        let replica = folder.appending(path: "x.roost").path
        let output = try Programs.run("roost", ["init", replica, "--schema", schema])
        #expect(output.status == 65)
        #expect(output.error.contains("line 1"))
        #expect(!FileManager.default.fileExists(atPath: replica))
    }

    @Test(arguments: ["notalink", "https://host/join", "http://example.org/join#roost_i_x", "https://u:p@host/join#t"])
    func badInviteMakesNoReplica(_ link: String) throws {
        let replica = folder.appending(path: "j.roost").path
        let output = try Programs.run("roost", ["join", link, replica])
        #expect(output.status == 64, "\(output)")
        #expect(output.error.hasPrefix("roost: Cannot"))
        #expect(!FileManager.default.fileExists(atPath: replica))
    }

    @Test func fileThatIsNoReplicaIsLeftAlone() throws {
        let text = try file(
            "notes.roost", "these are notes, not a database, and they are long enough to be looked at as one")
        let output = try Programs.run("roost", ["status", text])
        #expect(output.status == 65)
        #expect(output.error.contains("not a replica"))
        #expect(try String(contentsOfFile: text, encoding: .utf8).hasPrefix("these are notes"))
    }

    @Test func otherDatabaseIsLeftAlone() throws {
        let database = folder.appending(path: "other.roost").path
        try Programs.sql(database, "create table t(a)")
        let output = try Programs.run("roost", ["status", database])
        #expect(output.status == 65)
        #expect(output.error.contains("SQLite file, but not a replica"))
    }

    @Test func missingFileIsNamed() throws {
        let output = try Programs.run("roost", ["sync", folder.appending(path: "none.roost").path])
        #expect(output.status == 66)
    }

    @Test func errorIsJSONWhenAskedFor() throws {
        let output = try Programs.run("roost", ["status", "--json", "/nowhere.roost"])
        #expect(output.status == 66)
        #expect(output.error.hasPrefix("{\"error\":{\"message\":"))
    }

    @Test(arguments: ["roost", "roostd", "roost-server", "cekikapeye"])
    func everyProgramHelpsWithExamples(_ program: String) throws {
        let output = try Programs.run(program, ["--help"])
        #expect(output.status == 0)
        #expect(output.standard.contains("USAGE"))
        #expect(output.standard.uppercased().contains("EXAMPLE"))
    }
}
