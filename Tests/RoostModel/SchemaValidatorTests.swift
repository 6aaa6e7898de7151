import RoostModel
import Testing

@Suite struct SchemaValidatorTests {
    private static let manyToMany = #""kind": "manyToMany", "destination": "A""#

    private static let problems: [(String, String)] = [
        (SchemaText.file(""), "Schema: there is no entity. Declare at least one in \"entities\"."),
        (
            SchemaText.file(#"{"id": 1, "name": "A"}"#, name: "a b"),
            "Schema: the schema's name \"a b\" cannot be used. Use 1 to 64 of a-z, A-Z, 0-9, _ and -, starting with a letter."
        ),
        (
            SchemaText.file(#"{"id": 1, "name": "A"}, {"id": 2, "name": "a"}"#),
            "Schema entity \"a\": the name \"a\" is there twice. Give each entity a name of its own."
        ),
        (
            SchemaText.file(#"{"id": 1, "name": "A"}, {"id": 1, "name": "B"}"#),
            "Schema entity \"B\": the id 1 is that of \"A\" too. Give each entity an id of its own."
        ),
        (
            SchemaText.attributes(
                #"{"id": 1, "name": "a", "type": "date"}, {"id": 1, "name": "b", "type": "date"}"#),
            "Schema entity \"A\", property \"b\": the id 1 is that of \"a\" too. Give each property an id of its own."
        ),
        (
            SchemaText.file(#"{"id": 1, "name": "1A"}"#),
            "Schema entity \"1A\": the name \"1A\" cannot be used. "
                + "Use 1 to 64 of a-z, A-Z, 0-9 and _, starting with a letter."
        ),
        (
            SchemaText.attributes(#"{"id": 1, "name": "né", "type": "date"}"#),
            "Schema entity \"A\", property \"né\": the name \"né\" cannot be used. "
                + "Use 1 to 64 of a-z, A-Z, 0-9 and _, starting with a letter."
        ),
        (
            SchemaText.file(#"{"id": 1, "name": "Roost_fact"}"#),
            "Schema entity \"Roost_fact\": the name \"Roost_fact\" is taken by the replica itself. Choose another name."
        ),
        (
            SchemaText.attributes(#"{"id": 1, "name": "ID", "type": "date"}"#),
            "Schema entity \"A\", property \"ID\": the name \"ID\" is taken by the replica itself. Choose another name."
        ),
        (
            SchemaText.pair(
                #""name": "x", \#(manyToMany), "inverse": "y""#, #""name": "z", \#(manyToMany), "inverse": "z""#),
            "Schema entity \"A\", property \"x\": the inverse \"y\" is not a relationship of \"A\". Declare it on \"A\"."
        ),
        (
            SchemaText.pair(
                #""name": "x", \#(manyToMany), "inverse": "z""#, #""name": "z", \#(manyToMany), "inverse": "z""#),
            "Schema entity \"A\", property \"x\": the inverse \"A.z\" does not lead back. "
                + "Let it name \"x\" of \"A\" as its inverse."
        ),
        (
            SchemaText.file(
                #"{"id": 1, "name": "A", "relationships": [{"id": 1, "name": "x", "kind": "toOne", "destination": "Z", "inverse": "y"}]}"#
            ),
            "Schema entity \"A\", property \"x\": the destination \"Z\" is not an entity. Declare it, or correct the name."
        ),
        (
            SchemaText.reference(#", "deleteRule": "cascade""#),
            "Schema entity \"A\", property \"b\": the rule \"cascade\" is on the side that stores the reference. "
                + "Declare it on \"B.as\", whose deletion it is about."
        ),
        (
            SchemaText.reference(#", "tree": true"#),
            "Schema entity \"A\", property \"b\": only a toOne relationship of an entity to itself can be a tree. "
                + "Remove \"tree\"."
        ),
        (
            SchemaText.file(
                #"{"id": 1, "name": "A", "relationships": [{"id": 1, "name": "x", \#(manyToMany), "inverse": "x", "deleteRule": "cascade"}]}"#
            ),
            "Schema entity \"A\", property \"x\": a manyToMany relationship cannot have the rule \"cascade\". "
                + "Use \"nullify\" (links go with either end) or \"deny\" (links hold this end back)."
        ),
        (
            SchemaText.reference(#", "single": true"#),
            "Schema entity \"A\", property \"b\": \"single\" is on the side that stores the reference, "
                + "which names one in any case. Declare it on \"B.as\"."
        ),
        (
            SchemaText.file(
                #"{"id": 1, "name": "A", "relationships": [{"id": 1, "name": "x", \#(manyToMany), "inverse": "x", "single": true}]}"#
            ),
            "Schema entity \"A\", property \"x\": a manyToMany relationship cannot be single. "
                + "Make the side that is to be stored toOne, and the other toMany with \"single\": true."
        ),
        (
            SchemaText.pair(
                #""name": "x", "kind": "toOne", "destination": "A", "inverse": "y""#,
                #""name": "y", "kind": "toMany", "destination": "A", "inverse": "x", "single": 1"#),
            "Schema entity \"A\", property \"y\": \"single\" is a number. Write true or false."
        ),
        (
            SchemaText.file(
                #"{"id": 2, "name": "a_X"}, {"id": 1, "name": "A", "relationships": [{"id": 1, "name": "x", \#(manyToMany), "inverse": "x"}]}"#
            ),
            "Schema entity \"A\", property \"x\": its links need the table \"a_x\", taken by the entity \"a_X\". "
                + "Rename one of the two."
        ),
    ]

    @Test(arguments: problems)
    func problemIsNamedWithItsCure(text: String, message: String) {
        let error = #expect(throws: SchemaError.self) { try Schema(json: text) }
        #expect(error?.description == message)
    }

    @Test(arguments: [
        ("toOne", "toOne", "both sides are toOne, and two devices apart could each set one"),
        ("toMany", "toMany", "both sides are toMany"),
        ("toOne", "manyToMany", "a toOne relationship cannot have the manyToMany inverse \"A.b\""),
        ("toMany", "manyToMany", "a toMany relationship cannot have the manyToMany inverse \"A.b\""),
    ])
    func kindsThatDoNotGoTogetherAreRefused(first: String, second: String, reason: String) {
        let text = SchemaText.pair(
            #""name": "a", "kind": "\#(first)", "destination": "A", "inverse": "b""#,
            #""name": "b", "kind": "\#(second)", "destination": "A", "inverse": "a""#)
        let error = #expect(throws: SchemaError.self) { try Schema(json: text) }
        #expect(error?.problems.first?.reason == reason)
    }

    @Test func secondTreeIsRefused() {
        let text = SchemaText.file(
            """
            {"id": 1, "name": "A", "relationships": [
              {"id": 1, "name": "x", "kind": "toOne", "destination": "A", "inverse": "xs", "tree": true},
              {"id": 2, "name": "xs", "kind": "toMany", "destination": "A", "inverse": "x"},
              {"id": 3, "name": "y", "kind": "toOne", "destination": "A", "inverse": "ys", "tree": true},
              {"id": 4, "name": "ys", "kind": "toMany", "destination": "A", "inverse": "y"}]}
            """)
        let error = #expect(throws: SchemaError.self) { try Schema(json: text) }
        #expect(
            error?.description
                == "Schema entity \"A\", property \"y\": a second tree, beside \"x\". Keep at most one tree in an entity."
        )
    }

    @Test func linksOfTwoRelationshipsNeedTwoTables() {
        let text = SchemaText.file(
            """
            {"id": 1, "name": "A_b", "relationships": [
              {"id": 1, "name": "c", "kind": "manyToMany", "destination": "A_b", "inverse": "c"}]},
            {"id": 2, "name": "A", "relationships": [
              {"id": 1, "name": "b_c", "kind": "manyToMany", "destination": "A", "inverse": "b_c"}]}
            """)
        let error = #expect(throws: SchemaError.self) { try Schema(json: text) }
        #expect(
            error?.problems.map(\.reason) == ["its links need the table \"a_b_c\", taken by the links of \"A_b.c\""])
    }
}
