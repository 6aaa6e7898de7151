import Foundation
import RoostModel
import Testing

@Suite struct SchemaGuideTests {
    @Test func exampleOfTheGuideIsASchemaWithoutWarnings() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let guide = String(decoding: try Data(contentsOf: root.appending(path: "Docs/schema.md")), as: UTF8.self)
        let start = try #require(guide.range(of: "```json\n")).upperBound
        let end = try #require(guide.range(of: "\n```", range: start..<guide.endIndex)).lowerBound
        let schema = try Schema(json: String(guide[start..<end]))
        #expect(schema.warnings().isEmpty)
        #expect(schema.entities.map(\.name) == ["Person", "Spending"])
    }
}
