import RoostModel
import SchemaGenerator
import Testing

/// The generated files that the tests of the object layer and of the JavaScript client compile and use.
@Suite struct GeneratedFilesTests {
    @Test(arguments: [
        ("library", "Library", AccessLevel.internal), ("registry", "Registry", .internal),
        ("samples", "Samples", .public),
    ])
    func generatingAgainGivesTheSameBytes(schema: String, file: String, _ accessLevel: AccessLevel) throws {
        let folder = "Tests/Objects/Generated"
        let text = try SourceFiles.text("\(folder)/\(schema).schema.json")
        let source = SwiftGenerator.source(for: try Schema(json: text), accessLevel: accessLevel)
        #expect(try source == SourceFiles.text("\(folder)/\(file).swift"))
    }

    /// The file that the tests of the JavaScript client check and run.
    @Test func generatingTypeScriptAgainGivesTheSameBytes() throws {
        let folder = "Client/JavaScript/tests"
        let schema = try Schema(json: SourceFiles.text("\(folder)/generated.schema.json"))
        let source = TypeScriptGenerator.source(for: schema, importing: "../src/index.ts")
        #expect(try source == SourceFiles.text("\(folder)/generated.ts"))
    }
}
