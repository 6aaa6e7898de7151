import Foundation
import TestProcesses
import Testing

/// Bad input gets an error that states what, where, why and what to do, and a status of its own. It changes nothing.
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

    /// Errors of form, of rules and of limits come in one run.
    @Test func allErrorsOfASchemaComeAtOnce() throws {
        let attributes = (1...130).map { #"{"id": \#($0), "name": "a\#($0)", "type": "date"}"# }.joined(separator: ", ")
        let schema = try file(
            "schema.json",
            #"{"format": 1, "name": "x", "entities": [{"id": 1, "name": "A", "attributes": [\#(attributes)]}, {"id": 1, "name": "B", "attributes": [{"id": 1, "name": "n", "type": "text"}]}]}"#
        )
        for arguments in [
            ["schema", "check", schema], ["init", folder.appending(path: "x.roost").path, "--schema", schema],
        ] {
            let output = try Programs.run("roost", arguments)
            #expect(output.status == 65)
            let text = output.standard + output.error
            for problem in ["\"type\" is \"text\"", "the id 1 is that of \"A\" too", "there are 130 attributes"] {
                #expect(text.contains(problem), "\(output)")
            }
        }
    }

    /// Each reason for which a file cannot be migrated is on a line of its own.
    @Test func reasonsAgainstAMigrationAreLines() throws {
        func schema(_ version: Int, _ attributes: String) -> String {
            """
            {"format": 1, "name": "x", "version": \(version), "entities": [
              {"id": 1, "name": "A", "attributes": [\(attributes)]}]}
            """
        }
        let first = try file("1.json", schema(1, #"{"id": 1, "name": "n", "type": "string"}"#))
        let second = try file(
            "2.json",
            schema(2, #"{"id": 1, "name": "n", "type": "date"}, {"id": 2, "name": "m", "type": "integer"}"#))
        let replica = folder.appending(path: "m.roost").path
        try Programs.check("roost", "init", replica, "--schema", first)
        let output = try Programs.run("roost", ["migrate", replica, second])
        #expect(output.status == 65)
        let lines = output.error.split(separator: "\n")
        #expect(lines.count == 3, "\(output)")
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("Schema entity \"A\", property ") }, "\(output)")
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

    /// An error of the store is reported through objects with its code.
    @Test func damagedTableIsToldWithItsCode() throws {
        let group = folder.appending(path: "corse.roost").path
        let environment = ["XDG_CONFIG_HOME": folder.appending(path: "config").path]
        let new = ["new", "Corse", "Ana", "--currency", "EUR", "--file", group]
        let add = ["add", "5", "taxi", "--by", "Ana", "--group", group]
        for step in [new, add] { #expect(try Programs.run("cekikapeye", step, environment: environment).status == 0) }
        let place = try Programs.sql(
            group,
            """
            PRAGMA wal_checkpoint(TRUNCATE);
            SELECT 'at', rootpage, page_size FROM sqlite_master, pragma_page_size WHERE name = 'spending'
            """
        ).standard
        let numbers = place.split(separator: "\n").last?.split(separator: "|").compactMap { UInt64($0) } ?? []
        let (page, size) = (try #require(numbers.first), try #require(numbers.last))
        let file = try FileHandle(forUpdating: URL(filePath: group))
        try file.seek(toOffset: (page - 1) * size)
        try file.write(contentsOf: Data(repeating: 0xFF, count: Int(size)))
        try file.close()
        let output = try Programs.run("cekikapeye", ["list", "--group", group, "--json"], environment: environment)
        #expect(output.status == 65)
        #expect(output.error.contains("\"code\":\"corrupt\""), "\(output.error)")
    }

    @Test func replicaOfAnotherApplicationIsNoGroup() throws {
        let schema = try file(
            "trip.json", #"{"format": 1, "name": "trip", "entities": [{"id": 1, "name": "Person"}]}"#)
        let replica = folder.appending(path: "trip.roost").path
        #expect(try Programs.run("roost", ["init", replica, "--schema", schema]).status == 0)
        let environment = ["XDG_CONFIG_HOME": folder.appending(path: "config").path]
        let output = try Programs.run("cekikapeye", ["list", "--group", replica], environment: environment)
        #expect(output.status == 65)
        #expect(output.error.contains("it is a replica of \"trip\", not a group's expenses"), "\(output.error)")
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

    /// Names chosen by others may contain escape sequences, one-byte controls, and characters that change the direction of
    /// writing.
    @Test func outputSteersNoTerminal() throws {
        let schema = try file("schema.json", Stage.schema)
        let replica = folder.appending(path: "hostile.roost").path
        try Programs.check("roost", "init", replica, "--schema", schema)
        try Programs.sql(
            replica,
            "insert into person(name) values ('a' || char(27) || '[31m' || char(155) || '2J' || char(8238) || char(8233) || 'z')"
        )
        for arguments in [["fetch", replica, "Person"], ["fetch", replica, "Person", "--json"], ["log", replica]] {
            let output = try Programs.run("roost", arguments)
            #expect(output.status == 0)
            let unsafe = output.standard.unicodeScalars.filter { scalar in
                scalar != "\n" && scalar != "\t"
                    && (scalar.value < 0x20 || [0x9B, 0x202E, 0x2029].contains(scalar.value))
            }
            #expect(unsafe.isEmpty, "\(arguments[0])")
            guard arguments.contains("--json"), let line = output.lines.first else { continue }
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object?["name"] as? String == "a\u{1B}[31m\u{9B}2J\u{202E}\u{2029}z")
        }
        let error = try Programs.run("roost", ["fetch", replica, "Per\u{1B}[31mson\u{202E}"]).error
        #expect(!error.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
    }
}
