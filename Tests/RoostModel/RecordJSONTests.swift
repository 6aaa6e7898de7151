import RoostModel
import Testing

@Suite struct RecordJSONTests {
    private static let entity = EntityID(1)

    private static func names() throws -> RecordJSON {
        RecordJSON(
            try Schema(
                json: """
                    {"format": 1, "name": "test", "entities": [{"id": 1, "name": "Thing", "attributes": [
                      {"id": 1, "name": "s", "type": "string"}, {"id": 2, "name": "i", "type": "integer"},
                      {"id": 3, "name": "f", "type": "double"}, {"id": 4, "name": "b", "type": "boolean"},
                      {"id": 5, "name": "d", "type": "date"}, {"id": 6, "name": "t", "type": "timestamp"},
                      {"id": 7, "name": "u", "type": "uuid"}, {"id": 8, "name": "x", "type": "data"},
                      {"id": 9, "name": "j", "type": "json"},
                      {"id": 10, "name": "n", "type": "string", "optional": true, "default": "x"}], "relationships": [
                      {"id": 20, "name": "parent", "kind": "toOne", "destination": "Thing", "inverse": "children"},
                      {"id": 21, "name": "children", "kind": "toMany", "destination": "Thing", "inverse": "parent"}]}]}
                    """))
    }

    private static func bytes(_ text: String) throws -> [UInt8] {
        try names().put(try JSONParser.parse(text), of: entity)
    }

    @Test(arguments: [
        #"{"s":"é"}"#, #"{"i":9223372036854775807}"#, #"{"f":-1.5}"#, #"{"b":false}"#, #"{"d":"2026-07-14"}"#,
        #"{"t":1784021400000}"#, #"{"u":"01234567-89ab-cdef-fedc-ba9876543210"}"#, #"{"x":"AP8="}"#,
        #"{"j":{"a":[1,2.50]}}"#, #"{"n":null}"#, #"{"parent":"01234567-89ab-cdef-fedc-ba9876543210"}"#,
        ##"{"#77":{"text":"a"}}"##, ##"{"#77":{"integer":-5}}"##, ##"{"#77":{"real":1.5}}"##,
        ##"{"#77":{"real":"inf"}}"##, ##"{"#77":{"boolean":true}}"##, ##"{"#77":{"bytes":"AP8="}}"##,
        ##"{"#77":{"null":true}}"##, ##"{"#77":{"record":"01234567-89ab-cdef-fedc-ba9876543210"}}"##, "{}",
    ])
    func objectComesBack(_ text: String) throws {
        #expect(try Self.names().object(Self.bytes(text), of: Self.entity).text == text)
    }

    /// A server writes a JSON value in one canonical form (protocol.md §5.6), so a client can compute the bytes of its put.
    @Test(arguments: [
        (#"{"a" : [1.50, "\u00e9\/"]}"#, #"{"a":[1.50,"é/"]}"#),
        ("[ true ,\n null , -0 , 1E+2 ]", "[true,null,-0,1E+2]"), (#"{"b":1,"a":{}}"#, #"{"b":1,"a":{}}"#),
        (#""\b\f\n\r\t\u0001\u007f\"\\""#, #""\u0008\u000c\n\r\t\u0001\u007f\"\\""#),
        (#""\ud83d\ude00""#, "\"😀\""),
    ])
    func jsonValueHasOneText(_ value: String, _ text: String) throws {
        let put = try Put(encoded: Self.bytes("{\"j\":\(value)}"))
        #expect(try ContentCoding.decode(put.content).map(\.value) == [.string(text)])
    }

    @Test func propertiesAreWrittenByID() throws {
        let text = #"{"i":1,"parent":"01234567-89ab-cdef-fedc-ba9876543210","s":"a"}"#
        #expect(try Self.bytes(text) == Self.bytes(#"{"s":"a","i":1,"parent":"01234567-89AB-cdef-fedc-ba9876543210"}"#))
    }

    @Test(arguments: [#"{"s":null}"#, #"{"parent":null}"#])
    func nilWithoutADefaultIsLeftOut(_ text: String) throws {
        #expect(try Self.bytes(text).isEmpty)
    }

    @Test(arguments: [
        ("[]", "\"put\" is an array"), (#"{"z":1}"#, "\"z\" is not a property of this entity"),
        (#"{"s":1}"#, "\"s\" is not a string: got a number"), (#"{"i":1.5}"#, "\"i\" is not an integer: got 1.5"),
        (#"{"f":1e999}"#, "\"f\" is not a double: got a number"), (#"{"b":0}"#, "\"b\" is not a boolean: got a number"),
        (#"{"d":"2026-02-30"}"#, "\"d\" is not a date: got \"2026-02-30\""),
        (#"{"u":"x"}"#, "\"u\" is not a uuid: got \"x\""), (#"{"x":"?"}"#, "\"x\" is not data: got a string"),
        (#"{"parent":"x"}"#, "\"parent\" is not a record's identifier"),
        (#"{"children":[]}"#, "\"children\" is not a property of this entity"),
        (##"{"#77":"a"}"##, "\"#77\" does not spell out its form"),
        (##"{"#0":{"text":"a"}}"##, "\"#0\" is not a property of this entity"),
        (##"{"#+7":{"text":"a"}}"##, "\"#+7\" is not a property of this entity"),
        (##"{"s":"a","#1":{"text":"b"}}"##, "the property with the id 1 is there twice"),
        (##"{"#077":{"text":"b"}}"##, "\"#077\" is not a property of this entity"),
        (##"{"#77":{"null":false}}"##, "\"#77\" does not spell out its form"),
    ])
    func whatDoesNotFitIsNamed(text: String, reason: String) throws {
        let error = #expect(throws: AttributeJSON.Mismatch.self) { try Self.bytes(text) }
        #expect(error?.reason == reason)
    }

    @Test func unknownEntityGoesByItsNumber() throws {
        #expect(try Self.names().name(of: EntityID(9)) == "#9")
        #expect(try Self.names().entity(named: "#9") == EntityID(9))
        #expect(try Self.names().entity(named: "Other") == nil)
    }
}
