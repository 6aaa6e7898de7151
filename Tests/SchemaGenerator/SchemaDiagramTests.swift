import RoostModel
import SchemaGenerator
import Testing

@Suite struct SchemaDiagramTests {
    private static func diagram(_ entities: String) throws -> String {
        let text = #"{"format": 1, "name": "a", "version": 1, "entities": [\#(entities)]}"#
        return SchemaDiagram.mermaid(try Schema(json: text))
    }

    @Test func entitiesHaveTheirAttributes() throws {
        let diagram = try Self.diagram(
            #"""
            {"id": 1, "name": "Person", "attributes": [
              {"id": 1, "name": "name", "type": "string"}, {"id": 2, "name": "born", "type": "date", "optional": true},
              {"id": 3, "name": "note", "type": "string", "default": "say \"hi\"\n"}]},
            {"id": 2, "name": "Empty"}
            """#)
        #expect(
            diagram == """
                erDiagram
                    "Person" {
                        string name
                        date born "optional"
                        string note "default say 'hi' "
                    }
                    "Empty"

                """)
    }

    @Test(arguments: [
        (#""optional": false"#, #""deleteRule": "cascade""#, #""B" ||--o{ "A" : "as (cascade) / b""#),
        (#""optional": true"#, #""deleteRule": "nullify""#, #""B" |o--o{ "A" : "as / b""#),
        (#""optional": true"#, #""single": true"#, #""B" |o--o| "A" : "as / b""#),
    ])
    func aReferenceIsALine(_ one: String, _ many: String, line: String) throws {
        let diagram = try Self.diagram(
            """
            {"id": 1, "name": "A", "relationships": [
              {"id": 1, "name": "b", "kind": "toOne", "destination": "B", "inverse": "as", \(one)}]},
            {"id": 2, "name": "B", "relationships": [
              {"id": 1, "name": "as", "kind": "toMany", "destination": "A", "inverse": "b", \(many)}]}
            """)
        #expect(diagram == "erDiagram\n    \"A\"\n    \"B\"\n    \(line)\n")
    }

    @Test func aLinkIsOneLine() throws {
        let diagram = try Self.diagram(
            """
            {"id": 1, "name": "A", "relationships": [
              {"id": 1, "name": "bs", "kind": "manyToMany", "destination": "B", "inverse": "as"}]},
            {"id": 2, "name": "B", "relationships": [
              {"id": 1, "name": "as", "kind": "manyToMany", "destination": "A", "inverse": "bs", "deleteRule": "deny"}]}
            """)
        #expect(diagram == "erDiagram\n    \"A\"\n    \"B\"\n    \"A\" }o--o{ \"B\" : \"bs / as (deny)\"\n")
    }

    @Test func aTreeRefersToItself() throws {
        let diagram = try Self.diagram(
            """
            {"id": 1, "name": "Folder", "relationships": [
              {"id": 1, "name": "parent", "kind": "toOne", "destination": "Folder", "inverse": "children", "tree": true},
              {"id": 2, "name": "children", "kind": "toMany", "destination": "Folder", "inverse": "parent",
               "deleteRule": "cascade"}]}
            """)
        #expect(diagram.hasSuffix("    \"Folder\" |o--o{ \"Folder\" : \"children (cascade) / parent (tree)\"\n"))
    }
}
