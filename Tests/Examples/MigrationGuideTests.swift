import Objects
import Replica
import RoostModel
import Testing

@testable import spending_list

/// The code blocks of Docs/migrations.md, verbatim.
@Suite struct MigrationGuideTests {
    private func schema(_ version: Int, _ attributes: String) -> String {
        """
        {"format": 1, "name": "people", "version": \(version), "entities": [
          {"id": 1, "name": "Person", "attributes": [\(attributes)]}]}
        """
    }

    @Test func aPlanWithoutCode() throws {
        enum LibrarySchema: SchemaSource {
            static let version = 2
            static let classes: [ManagedObject.Type] = []
            static let text = SpendingsSchema.text.replacing("\"version\": 1", with: "\"version\": 2")
        }
        let folder = try TripFolder()
        let path = folder.path("a.roost")
        try Replica.create(at: path, schema: Schema(json: SpendingsSchema.text)).close()
        let container = try ObjectContainer(LibrarySchema.self, at: path)
        #expect(container.replica?.schema.version == 2)
        let replica = try Replica(opening: path, LibrarySchema.schema())
        #expect(replica.schema.version == 2)
    }

    @Test func aPlanWithCode() throws {
        let name = #"{"id": 1, "name": "name", "type": "string"}"#
        let given = #"{"id": 2, "name": "given", "type": "string", "optional": true}"#
        let (first, second, third) = (schema(1, name), schema(2, name), schema(3, "\(name), \(given)"))
        let folder = try TripFolder()
        let path = folder.path("b.roost")
        let made = try Replica.create(at: path, schema: Schema(json: first))
        try made.write("add") { try $0.put("Person", id: RecordID(high: 0, low: 1), ["name": .string("Ana Lima")]) }
        try made.close()
        let plan = try MigrationPlan([
            .inferred(Schema(json: second)),
            .custom(Schema(json: third)) { step in
                try step.forEach("Person") { id, values in
                    guard case .string(let name)? = values["name"],
                        try step.values(of: "Person", id)?["given"] == .null
                    else { return }
                    try step.transaction.put("Person", id: id, ["given": .string(String(name.prefix { $0 != " " }))])
                }
            },
        ])
        let replica = try Replica(opening: path, migrating: plan)
        #expect(try replica.select("SELECT given FROM person") == [[.string("Ana")]])
    }
}
