import RoostModel
import SchemaGenerator
import Testing

/// A property never gets the name of a member that its class or its fields already have, and a class or struct never the name of a
/// type that it would hide from its module.
@Suite struct TakenNamesTests {
    private static func generated(_ attribute: String) throws -> String {
        let attributes = #"[{"id": 1, "name": "\#(attribute)", "type": "string"}]"#
        let entities = #"[{"id": 1, "name": "A", "attributes": \#(attributes)}]"#
        return SwiftGenerator.source(
            for: try Schema(json: #"{"format": 1, "name": "s", "entities": \#(entities)}"#))
    }

    @Test func membersOfObjectsAreTaken() throws {
        let members = try ObjectMembers.names(of: "ManagedObject")
        #expect(members.contains("objectID") && members.contains("willSave") && members.contains("committedValue"))
        for member in members + ["hashValue", "propertyNames"] {
            #expect(try Self.generated(member).contains("    var \(member)Property: String {\n"), "\(member)")
        }
    }

    @Test(arguments: ["Task", "Value", "Schema", "Replica", "Set", "Result", "Date", "Operand"])
    func typesOfSwiftAndTheSDKStayVisible(_ entity: String) throws {
        let schema = try Schema(json: #"{"format": 1, "name": "s", "entities": [{"id": 1, "name": "\#(entity)"}]}"#)
        let classes = SwiftGenerator.source(for: schema)
        #expect(classes.contains("nonisolated class \(entity)Record: ManagedObject, TypedObject {\n"))
        #expect(classes.contains("class var entityName: String { \"\(entity)\" }"))
        let structs = SwiftGenerator.source(for: schema, form: .structs)
        #expect(structs.contains("struct \(entity)Record: Hashable, Sendable {\n"))
    }

    @Test func typesOfTheSDKAreTaken() throws {
        let types = try ObjectMembers.publicTypes(
            under: ["Client/Objects", "Client/Predicates", "Client/Replica", "Client/Roost", "Sources/RoostModel"])
        #expect(types.count > 100 && types.contains("Value") && types.contains("LiveSession"))
        // No entity may begin with the prefix of Roost's own tables.
        let names = types.filter { !$0.hasPrefix("Roost") }
        let entities = names.enumerated().map { #"{"id": \#($0.offset + 1), "name": "\#($0.element)"}"# }
        let text = #"{"format": 1, "name": "s", "entities": [\#(entities.joined(separator: ", "))]}"#
        let source = SwiftGenerator.source(for: try Schema(json: text))
        for type in names { #expect(source.contains("class \(type)Record: "), "\(type)") }
    }

    @Test func membersOfFieldsAreTaken() throws {
        let members = try ObjectMembers.names(of: "EntityFields")
        #expect(members.contains("path") && members.contains("toMany"))
        for member in members {
            #expect(try Self.generated(member).contains("    var \(member)Property: String {\n"), "\(member)")
        }
    }
}
