/// Builders of schema files for tests. A test passes only the part that it is about.
enum SchemaText {
    static func file(_ entities: String, name: String = "test", version: Int = 1) -> String {
        #"{"format": 1, "name": "\#(name)", "version": \#(version), "entities": [\#(entities)]}"#
    }

    static func attributes(_ attributes: String, version: Int = 1) -> String {
        file(#"{"id": 1, "name": "A", "attributes": [\#(attributes)]}"#, version: version)
    }

    /// A schema in which `A.b` refers to `B`, whose `as` declares the delete rule.
    static func reference(_ toOne: String = "", _ toMany: String = "", version: Int = 1) -> String {
        file(
            """
            {"id": 1, "name": "A", "relationships": [
              {"id": 1, "name": "b", "kind": "toOne", "destination": "B", "inverse": "as"\(toOne)}]},
            {"id": 2, "name": "B", "relationships": [
              {"id": 1, "name": "as", "kind": "toMany", "destination": "A", "inverse": "b"\(toMany)}]}
            """, version: version)
    }

    /// A schema in which `B.as` has extra keys and `A` has attributes.
    static func ordered(_ toMany: String, _ attributes: String, version: Int = 1) -> String {
        reference("", toMany, version: version).replacing(
            #""name": "A", "#, with: #""name": "A", "attributes": [\#(attributes)], "#)
    }

    /// A schema with two relationships of `A` with itself.
    static func pair(_ first: String, _ second: String) -> String {
        file(#"{"id": 1, "name": "A", "relationships": [{"id": 1, \#(first)}, {"id": 2, \#(second)}]}"#)
    }

    /// A schema of entities 1 to 3, each with its relationships.
    static func graph(_ one: String, _ two: String, _ three: String) -> String {
        file(
            """
            {"id": 1, "name": "One", "relationships": [\(one)]}, {"id": 2, "name": "Two", "relationships": [\(two)]},
            {"id": 3, "name": "Three", "relationships": [\(three)]}
            """)
    }
}
