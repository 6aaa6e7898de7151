/// Schema files for tests, around the part that a test is about.
enum SchemaText {
    static func file(_ entities: String, name: String = "test", version: Int = 1) -> String {
        #"{"format": 1, "name": "\#(name)", "version": \#(version), "entities": [\#(entities)]}"#
    }

    static func attributes(_ attributes: String, version: Int = 1) -> String {
        file(#"{"id": 1, "name": "A", "attributes": [\#(attributes)]}"#, version: version)
    }

    /// `A.b` refers to `B`, whose `as` declares the rule.
    static func reference(_ toOne: String = "", _ toMany: String = "", version: Int = 1) -> String {
        file(
            """
            {"id": 1, "name": "A", "relationships": [
              {"id": 1, "name": "b", "kind": "toOne", "destination": "B", "inverse": "as"\(toOne)}]},
            {"id": 2, "name": "B", "relationships": [
              {"id": 1, "name": "as", "kind": "toMany", "destination": "A", "inverse": "b"\(toMany)}]}
            """, version: version)
    }

    /// `B.as`, with keys of its own, of `A` with attributes.
    static func ordered(_ toMany: String, _ attributes: String, version: Int = 1) -> String {
        reference("", toMany, version: version).replacing(
            #""name": "A", "#, with: #""name": "A", "attributes": [\#(attributes)], "#)
    }

    /// Two relationships of `A` with itself.
    static func pair(_ first: String, _ second: String) -> String {
        file(#"{"id": 1, "name": "A", "relationships": [{"id": 1, \#(first)}, {"id": 2, \#(second)}]}"#)
    }

    /// `first` of entities 1 to 3, each with its relationships.
    static func graph(_ one: String, _ two: String, _ three: String) -> String {
        file(
            """
            {"id": 1, "name": "One", "relationships": [\(one)]}, {"id": 2, "name": "Two", "relationships": [\(two)]},
            {"id": 3, "name": "Three", "relationships": [\(three)]}
            """)
    }
}
