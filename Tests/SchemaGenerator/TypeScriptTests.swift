import RoostModel
import SchemaGenerator
import Testing

/// Entities in TypeScript, for the JavaScript client.
@Suite struct TypeScriptTests {
    private static func generated(_ entities: String) throws -> String {
        TypeScriptGenerator.source(
            for: try Schema(json: #"{"format": 1, "name": "s", "entities": [\#(entities)]}"#))
    }

    private static func attributes(_ names: [String]) -> String {
        names.enumerated().map { #"{"id": \#($0 + 1), "name": "\#($1)", "type": "string"}"# }.joined(separator: ", ")
    }

    @Test(arguments: [
        ("string", "string"), ("date", "string"), ("uuid", "string"), ("integer", "number | bigint"),
        ("timestamp", "number | bigint"), ("double", "number"), ("boolean", "boolean"), ("data", "Uint8Array"),
    ])
    func anOptionalAttributeMayBeNull(kind: String, type: String) throws {
        let attributes = #"""
            {"id": 1, "name": "a", "type": "\#(kind)"}, {"id": 2, "name": "b", "type": "\#(kind)", "optional": true}
            """#
        let source = try Self.generated(#"{"id": 1, "name": "A", "attributes": [\#(attributes)]}"#)
        #expect(source.contains("  a: \(type);\n") && source.contains("  b: \(type) | null;\n"), "\(source)")
    }

    @Test func jsonIsUnknown() throws {
        let attribute = #"{"id": 1, "name": "a", "type": "json", "optional": true}"#
        let source = try Self.generated(#"{"id": 1, "name": "A", "attributes": [\#(attribute)]}"#)
        #expect(source.contains("\n  a: unknown;\n"))
    }

    /// An import that is not used is an error in a strict program.
    @Test func onlyWhatIsUsedIsImported() throws {
        let alone = try Self.generated(#"{"id": 1, "name": "A"}"#)
        #expect(alone.contains("\nimport { entity, type EntityType } from \"@roost/client\";\n"))
        #expect(alone.contains("\nexport type AFields = Record<never, never>;\n"))
        #expect(alone.contains("\nexport const A: EntityType<AFields> = entity<AFields>(\"A\", 1, {});\n"))
        let tree = #"""
            {"id": 1, "name": "A", "relationships": [
              {"id": 1, "name": "parent", "kind": "toOne", "destination": "A", "inverse": "parts", "tree": true},
              {"id": 2, "name": "parts", "kind": "toMany", "destination": "A", "inverse": "parent", "deleteRule": "cascade"}]}
            """#
        #expect(try Self.generated(tree).contains("\nimport { entity, type EntityType, type Many, type One } from "))
    }

    @Test func namesAreInCamelCaseAndDistinct() throws {
        let source = try Self.generated(
            #"""
            {"id": 1, "name": "shared_group", "attributes": [\#(Self.attributes(["made_at", "madeAt", "MadeAt_"]))]},
            {"id": 2, "name": "SharedGroup"}, {"id": 3, "name": "One"}, {"id": 4, "name": "OneRecordFields"}
            """#)
        let properties = ["madeAt", "madeAtProperty", "madeAtProperty2"].map { "  \($0): string;\n" }.joined()
        #expect(source.contains(" {\n\(properties)}\n"), "\(source)")
        for type in ["SharedGroup", "SharedGroupRecord", "OneRecord", "OneRecordFieldsRecord"] {
            #expect(source.contains("\nexport const \(type): EntityType<\(type)Fields> = "), "\(type) in \(source)")
        }
    }

    /// The members of records and of paths in the client.
    @Test func takenMembersGetASuffix() throws {
        let names = ["eq", "isNil", "toJSON", "constructor", "toString", "valueOf", "id_"]
        let source = try Self.generated(#"{"id": 1, "name": "A", "attributes": [\#(Self.attributes(names))]}"#)
        for name in names.map({ $0 == "id_" ? "id" : $0 }) {
            #expect(source.contains("\n  \(name)Property: string;\n"), "\(name) in \(source)")
        }
    }

    /// A template literal gives the text of the schema file again, whatever is in it.
    @Test func theTextOfTheSchemaIsQuoted() throws {
        let head = #"{"format": 1, "name": "s","#
        let entities = #" "entities": [{"id": 1, "name": "A", "attributes": ["#
        let (text, quoted) = (
            #"  {"id": 1, "name": "a", "type": "string", "default": "`${\\}$\"{é"}]}]}"#,
            #"  {"id": 1, "name": "a", "type": "string", "default": "\`$\{\\\\}$\\"{é"}]}]}"#
        )
        let source = TypeScriptGenerator.source(for: try Schema(json: "\(head)\r\n\(entities)\n\(text)"))
        let literal = "`\(head)\\r\n\(entities)\n\(quoted)`"
        #expect(source.hasSuffix("\nexport const schemaText: string = \(literal);\n"), "\(source)")
    }

    @Test func theModuleOfTheClientIsGiven() throws {
        let schema = try Schema(json: #"{"format": 1, "name": "s", "entities": [{"id": 1, "name": "A"}]}"#)
        let source = TypeScriptGenerator.source(for: schema, importing: #"./a "b".js"#)
        #expect(source.contains(#" from "./a \"b\".js";"#))
    }
}
