import RoostModel
import Testing

/// The comparison of a schema file with an earlier version, which its author asks for.
@Suite struct SchemaRenamesTests {
    private static func problems(_ old: String, _ new: String) throws -> [String] {
        try Schema(json: new).problems(after: Schema(json: old)).map { "\($0.severity): \($0)" }
    }

    private static func entity(_ name: String, _ attribute: String, version: Int = 1) -> String {
        SchemaText.file(
            #"{"id": 1, "name": "\#(name)", "attributes": [{"id": 1, "name": "\#(attribute)", "type": "string"}]}"#,
            version: version)
    }

    private static let cure = "is renamed: records of \"Person\" become records of"

    @Test func nothingIsSaidOfAVersionThatOnlyAdds() throws {
        let new = SchemaText.file(
            """
            {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string"}]},
            {"id": 2, "name": "Car"}
            """, version: 2)
        #expect(try Self.problems(Self.entity("Person", "name"), new).isEmpty)
    }

    @Test func aRenamedEntityIsNamed() throws {
        #expect(
            try Self.problems(Self.entity("Person", "name"), Self.entity("Human", "name", version: 2)) == [
                "warning: Schema entity \"Human\": it was \"Person\" and \(Self.cure) \"Human\". "
                    + "If it is another entity, give it an id that was never used."
            ])
    }

    /// An entity that was removed, and another one that got its id: the records of the first would become cars.
    @Test func anIDThatIsUsedAgainIsNamed() throws {
        #expect(
            try Self.problems(Self.entity("Person", "name"), Self.entity("Car", "plate", version: 2)) == [
                "warning: Schema entity \"Car\": it was \"Person\" and \(Self.cure) \"Car\", "
                    + "though the two have no property in common. "
                    + "If it is another entity, give it an id that was never used.",
                "warning: Schema entity \"Car\", property \"plate\": it was \"name\" and is renamed: "
                    + "records keep what they have in it. If it is another property, give it an id that was never used.",
            ])
    }

    @Test func aRenamedRelationshipIsNamed() throws {
        let new = SchemaText.reference(version: 2).replacing("\"as\"", with: "\"all\"")
        #expect(
            try Self.problems(SchemaText.reference(), new) == [
                "warning: Schema entity \"B\", property \"all\": it was \"as\" and is renamed: "
                    + "records keep what they have in it. If it is another property, give it an id that was never used."
            ])
    }

    @Test(arguments: [(1, 2), (2, 4)])
    func theVersionHasToGrow(old: Int, new: Int) throws {
        let before = Self.entity("Person", "name", version: old)
        #expect(try Self.problems(before, Self.entity("Person", "name", version: new)).isEmpty)
        #expect(
            try Self.problems(before, before) == [
                "error: Schema: the version is \(old), expected \(old + 1). Write \"version\": \(old + 1)."
            ])
    }

    @Test func whatMayNotFollowIsAnError() throws {
        let new = SchemaText.file(
            #"{"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "double"}]}"#, version: 2)
        let problems = try Self.problems(Self.entity("Person", "name"), new)
        #expect(problems.count == 1 && problems[0].hasPrefix("error: Schema entity \"Person\", property \"name\": "))
    }
}
