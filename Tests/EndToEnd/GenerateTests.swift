import Foundation
import TestProcesses
import Testing

@Suite final class GenerateTests {
    private let folder: URL
    private let schema: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "roost-generate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appending(path: "schema.json")
        try Data(#"{"format": 1, "name": "trip", "entities": [{"id": 1, "name": "Person"}]}"#.utf8).write(to: url)
        schema = url.path
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func withoutALanguageItListsThem() throws {
        let output = try Programs.run("roost", ["generate"])
        #expect(output.status == 0)
        #expect(output.standard.contains("roost generate <subcommand>"))
        for language in ["swift", "typescript"] { #expect(output.standard.contains("  \(language) ")) }
    }

    @Test func anUnknownLanguageIsAnErrorOfUsage() throws {
        let output = try Programs.run("roost", ["generate", "kotlin", schema])
        #expect(output.status == 64)
        #expect(output.error.contains("'kotlin'"))
    }

    @Test(arguments: [
        ([], "nonisolated class Person: ManagedObject, TypedObject {"),
        (["--structs"], "nonisolated struct Person: Hashable, Sendable {"),
        (["--leveled-imports"], "internal import Objects"),
    ])
    func swiftGoesToStandardOutput(_ options: [String], declaration: String) throws {
        let output = try Programs.run("roost", ["generate", "swift", schema] + options)
        #expect(output.status == 0)
        #expect(output.standard.contains("\n\(declaration)\n"))
    }

    @Test func swiftGoesToAFile() throws {
        let file = folder.appending(path: "Model.swift").path
        let output = try Programs.run("roost", ["generate", "swift", schema, "--access", "public", "--output", file])
        #expect(output.status == 0)
        #expect(output.standard == "Wrote \"\(file)\".\n")
        #expect(
            try String(contentsOfFile: file, encoding: .utf8).contains(
                "\nopen nonisolated class Person: ManagedObject, TypedObject {\n"))
    }

    @Test func typeScriptGoesToStandardOutputOrToAFile() throws {
        let output = try Programs.check("roost", "generate", "typescript", schema)
        #expect(output.standard.contains("\nexport const Person: EntityType<PersonFields> = "))
        #expect(output.standard.contains(#" from "@roost/client";"#))
        let file = folder.appending(path: "model.ts").path
        let written = try Programs.check(
            "roost", "generate", "typescript", schema, "--client", "./roost.js", "--output", file)
        #expect(written.standard == "Wrote \"\(file)\".\n")
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains(#" from "./roost.js";"#))
    }

    @Test func anAccessLevelThatThereIsNotIsRefused() throws {
        let output = try Programs.run("roost", ["generate", "swift", schema, "--access", "open"])
        #expect(output.status == 64)
        #expect(output.error.contains("expected internal, package or public"))
    }
}
