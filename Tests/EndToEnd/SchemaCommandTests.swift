import Foundation
import TestProcesses
import Testing

/// The commands for authors of schema files.
@Suite final class SchemaCommandTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "roost-schema-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Writes a schema file of one entity with the id 1.
    private func schema(_ file: String, _ entity: String, version: Int) throws -> String {
        let text = """
            {"format": 1, "name": "trip", "version": \(version), "entities": [
              {"id": 1, "name": "\(entity)", "attributes": [{"id": 1, "name": "name", "type": "string"}]}]}
            """
        let url = folder.appending(path: file)
        try Data(text.utf8).write(to: url)
        return url.path
    }

    @Test func checkComparesVersions() throws {
        let (old, new) = try (schema("old.json", "Person", version: 1), schema("new.json", "Car", version: 2))
        let plain = try Programs.run("roost", ["schema", "check", new])
        #expect(plain.status == 0 && plain.lines.count == 1)
        let compared = try Programs.run("roost", ["schema", "check", new, "--after", old])
        #expect(compared.status == 0)
        #expect(compared.standard.contains("warning: Schema entity \"Car\": it was \"Person\" and is renamed"))
        let json = try Programs.run("roost", ["schema", "check", new, "--after", old, "--json"])
        #expect(json.lines.count == 1 && json.standard.contains(#""severity":"warning","entity":"Car""#))
        let backwards = try Programs.run("roost", ["schema", "check", old, "--after", new])
        #expect(backwards.status == 65)
        #expect(backwards.standard.contains("error: Schema: the version is 1, expected 3."))
    }

    @Test func anEarlierVersionThatIsNoSchemaIsNamed() throws {
        let new = try schema("new.json", "Car", version: 2)
        let old = folder.appending(path: "old.json").path
        try Data("{}".utf8).write(to: URL(filePath: old))
        let broken = try Programs.run("roost", ["schema", "check", new, "--after", old])
        #expect(broken.status == 65 && broken.error.contains("\"\(old)\" is not a valid schema itself"))
        let missing = try Programs.run("roost", ["schema", "check", new, "--after", "\(old).none"])
        #expect(missing.status == 66)
    }

    @Test func diagramGoesToStandardOutputOrAFile() throws {
        let file = try schema("schema.json", "Person", version: 1)
        let diagram = "erDiagram\n    \"Person\" {\n        string name\n    }\n"
        #expect(try Programs.check("roost", "schema", "diagram", file).standard == diagram)
        let output = folder.appending(path: "schema.mermaid").path
        let written = try Programs.check("roost", "schema", "diagram", file, "--output", output)
        #expect(written.standard == "Wrote \"\(output)\".\n")
        #expect(try String(contentsOfFile: output, encoding: .utf8) == diagram)
    }
}
