import RoostModel
import Testing

@Suite struct SchemaReaderTests {
    @Test func whatIsLeftOutHasItsDefault() throws {
        let schema = try Schema(json: #"{"format": 1, "name": "a", "entities": [{"id": 1, "name": "A"}]}"#)
        #expect(schema.version == 1)
        #expect(schema.entities == [Entity(id: EntityID(1), name: "A")])
    }

    @Test func attributeAndRelationshipHaveTheirDefaults() throws {
        let schema = try Schema(json: SchemaText.reference())
        #expect(schema.entity(named: "A")?.relationship(named: "b")?.isOptional == true)
        #expect(schema.entity(named: "B")?.relationship(named: "as")?.deleteRule == .nullify)
        let text = SchemaText.attributes(#"{"id": 1, "name": "s", "type": "string"}"#)
        #expect(try Schema(json: text).entity(named: "A")?.attribute(named: "s")?.isOptional == false)
    }

    @Test(
        arguments: [
            ("string", #""x""#, .string("x")), ("integer", "-5", .integer(-5)), ("double", "2", .double(2)),
            ("boolean", "true", .boolean(true)), ("date", #""2026-07-14""#, .string("2026-07-14")),
            ("timestamp", #""1970-01-01T00:00:01Z""#, .integer(1000)), ("data", #""AP8=""#, .data([0, 255])),
            ("json", "[1]", .string("[1]")),
        ] as [(String, String, Value)])
    func defaultIsReadByType(type: String, json: String, value: Value) throws {
        let text = SchemaText.attributes(#"{"id": 1, "name": "a", "type": "\#(type)", "default": \#(json)}"#)
        #expect(try Schema(json: text).entities[0].attributes[0].defaultValue == value)
    }

    @Test func sourceIsTheTextAsGiven() throws {
        let text = SchemaText.reference() + "\n"
        #expect(try Schema(json: text).source == text)
    }

    @Test func everyProblemIsReported() {
        let text = #"{"format": 2, "name": "a", "version": 0, "entities": [{"name": "A"}]}"#
        let error = #expect(throws: SchemaError.self) { try Schema(json: text) }
        #expect(error?.problems.count == 3)
    }

    /// A file with a mistake of form in one part, and one against a rule in another.
    @Test func problemsOfFormAndOfRulesComeAtOnce() {
        let text = SchemaText.file(
            """
            {"id": 1, "name": "A", "attributes": [
              {"id": 1, "name": "id", "type": "text"}, {"id": 1, "name": "b", "type": "date"}],
             "relationships": [{"id": 3, "name": "c", "kind": "toOne", "destination": "Z", "inverse": "as"}]},
            {"id": 2, "name": "1B", "attributes": [{"name": "x", "type": "string"}]}
            """)
        let error = #expect(throws: SchemaError.self) { try Schema(json: text) }
        let problems = error?.problems.map { "\($0.entity ?? "").\($0.property ?? ""): \($0.reason)" } ?? []
        #expect(
            problems == [
                "A.id: \"type\" is \"text\"", "A.b: the id 1 is that of \"id\" too",
                "A.id: the name \"id\" is taken by the replica itself",
                "A.c: the destination \"Z\" is not an entity",
                "1B.x: \"id\" is missing, expected a whole number from 1 to 32767",
                "1B.: the name \"1B\" cannot be used",
            ])
    }

    private static let onlyMistakes: [(String, String)] = [
        // "B.as" leads to the entity whose name is missing.
        (
            SchemaText.reference().replacing("\"name\": \"A\"", with: "\"name\": 5"),
            "number 1.: \"name\" is a number, expected a string"
        ),
        // "B.as" names the relationship whose name is missing.
        (
            SchemaText.reference().replacing("\"name\": \"b\", ", with: ""),
            "A.: \"name\" is missing, expected a string"
        ),
        (SchemaText.reference().replacing("\"toOne\"", with: "\"one\""), "A.b: \"kind\" is \"one\""),
        (
            SchemaText.reference().replacing("\"relationships\": [", with: "\"relationships\": [7, "),
            "A.: a relationship is a number, expected an object|B.: a relationship is a number, expected an object"
        ),
        (
            SchemaText.ordered(
                ", \"orderedBy\": \"place\"", #"{"id": 2, "name": "place", "type": "text", "optional": true}"#),
            "A.place: \"type\" is \"text\""
        ),
        (SchemaText.file(#"{"id": 1, "name": "A\u0001"}"#), "A\u{1}.: the name \"A\u{1}\" cannot be used"),
    ]

    /// Problems that only follow from another mistake are not reported.
    @Test(arguments: onlyMistakes) func consequencesOfAMistakeAreNotReported(text: String, reasons: String) {
        let error = #expect(throws: SchemaError.self) { try Schema(json: text) }
        let problems = error?.problems.map { "\($0.entity ?? "").\($0.property ?? ""): \($0.reason)" } ?? []
        #expect(problems.joined(separator: "|") == reasons)
    }

    private static let problems: [(String, String)] = [
        ("{", "Schema: The file is not JSON: line 1, column 2: expected a name in quotes. Correct the text there."),
        ("[]", "Schema: the file holds an array. Write an object with \"format\", \"name\" and \"entities\"."),
        (
            #"{"name": "a", "entities": [{"id": 1, "name": "A"}]}"#,
            "Schema, property \"format\": the format is not said, expected 1. Write \"format\": 1."
        ),
        (
            #"{"format": 1, "name": "a", "version": 1.5, "entities": [{"id": 1, "name": "A"}]}"#,
            "Schema, property \"version\": the version is not a whole number from 1. "
                + "Write \"version\": 1 and count up from there."
        ),
        (#"{"format": 1, "name": "a"}"#, "Schema: \"entities\" is missing. Write \"entities\": [ … ]."),
        (
            #"{"format": 1, "entities": [{"id": 1, "name": "A"}]}"#,
            "Schema: \"name\" is missing, expected a string. Give it a \"name\"."
        ),
        (SchemaText.file("7"), "Schema entity \"number 1\": the entity is a number, expected an object. Write { … }."),
        (
            SchemaText.file(#"{"name": "A"}"#),
            "Schema entity \"A\": \"id\" is missing, expected a whole number from 1 to 32767. "
                + "Give it a number that nothing else here has, and never change it."
        ),
        (
            SchemaText.file(#"{"id": 1, "name": "A", "attributes": {}}"#),
            "Schema entity \"A\": \"attributes\" is an object. Write \"attributes\": [ … ]."
        ),
        (
            SchemaText.attributes("true"),
            "Schema entity \"A\": an attribute is a boolean, expected an object. Write { … }."
        ),
        (
            SchemaText.attributes(#"{"id": 32768, "name": "a", "type": "string"}"#),
            "Schema entity \"A\", property \"a\": \"id\" is 32768, expected a whole number from 1 to 32767. "
                + "Give it a number that nothing else here has, and never change it."
        ),
        (
            SchemaText.attributes(#"{"id": 1, "name": "a", "type": "text", "default": 5}"#),
            "Schema entity \"A\", property \"a\": \"type\" is \"text\". Choose one of \"string\", \"integer\", "
                + "\"double\", \"boolean\", \"date\", \"timestamp\", \"uuid\", \"data\", \"json\"."
        ),
        (
            SchemaText.attributes(#"{"id": 1, "name": "a", "type": "date", "default": "2026-02-30"}"#),
            "Schema entity \"A\", property \"a\": the default is not a date: got \"2026-02-30\". "
                + "Write a day that exists, as \"2026-07-14\"."
        ),
        (
            SchemaText.attributes(#"{"id": 1, "name": "a", "type": "integer", "default": "x"}"#),
            "Schema entity \"A\", property \"a\": the default is not an integer: got a string. "
                + "Write a whole number of at most 64 bits."
        ),
        (
            SchemaText.attributes(#"{"id": 1, "name": "a", "type": "integer", "widens": "data"}"#),
            "Schema entity \"A\", property \"a\": an integer cannot widen data. Widen a boolean to an integer, "
                + "or an integer to a double; else give the new type a new property."
        ),
        (
            SchemaText.attributes(#"{"id": 1, "name": "a", "type": "date", "optional": 1}"#),
            "Schema entity \"A\", property \"a\": \"optional\" is a number. Write true or false."
        ),
        (
            SchemaText.file(#"{"id": 1, "name": "A", "relationships": [null]}"#),
            "Schema entity \"A\": a relationship is null, expected an object. Write { … }."
        ),
        (
            SchemaText.pair(
                #""name": "a", "kind": "toOne", "destination": "A""#,
                #""name": "b", "kind": "toMany", "destination": "A", "inverse": "a""#),
            "Schema entity \"A\", property \"a\": the relationship has no inverse. Declare it on \"A\" and name it here."
        ),
        (
            SchemaText.pair(
                #""name": "a", "kind": "toOne", "inverse": "b""#,
                #""name": "b", "kind": "toMany", "destination": "A", "inverse": "a""#),
            "Schema entity \"A\", property \"a\": the relationship has no destination. Name the entity it leads to."
        ),
        (
            SchemaText.reference(#", "deleteRule": "restrict""#),
            "Schema entity \"A\", property \"b\": \"deleteRule\" is \"restrict\". "
                + "Choose one of \"nullify\", \"cascade\", \"deny\", \"noAction\"."
        ),
    ]

    @Test(arguments: problems)
    func problemIsNamedWithItsCure(text: String, message: String) {
        let error = #expect(throws: SchemaError.self) { try Schema(json: text) }
        #expect(error?.description == message)
    }
}
