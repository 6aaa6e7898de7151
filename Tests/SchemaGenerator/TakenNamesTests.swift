import RoostModel
import SchemaGenerator
import Testing

/// A property never gets the name of a member that its class or its fields already have.
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

    @Test func membersOfFieldsAreTaken() throws {
        let members = try ObjectMembers.names(of: "EntityFields")
        #expect(members.contains("path") && members.contains("toMany"))
        for member in members {
            #expect(try Self.generated(member).contains("    var \(member)Property: String {\n"), "\(member)")
        }
    }
}
