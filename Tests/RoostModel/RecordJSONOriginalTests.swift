import RoostModel
import Testing

/// A JSON client can write back every put that it received, byte for byte.
@Suite struct RecordJSONOriginalTests {
    private static let entity = EntityID(1)

    private static func names() throws -> RecordJSON {
        RecordJSON(
            try Schema(
                json: """
                    {"format": 1, "name": "test", "entities": [{"id": 1, "name": "Thing", "attributes": [
                      {"id": 1, "name": "s", "type": "string"}, {"id": 2, "name": "i", "type": "integer"},
                      {"id": 3, "name": "f", "type": "double"}, {"id": 9, "name": "j", "type": "json"},
                      {"id": 10, "name": "n", "type": "string", "optional": true, "default": "x"}], "relationships": [
                      {"id": 20, "name": "parent", "kind": "toOne", "destination": "Thing", "inverse": "children"},
                      {"id": 21, "name": "children", "kind": "toMany", "destination": "Thing", "inverse": "parent"}]}]}
                    """))
    }

    private static func field(_ bytes: [UInt8]) -> [UInt8] { [0x0A, UInt8(bytes.count)] + bytes }
    private static func content(_ fields: [UInt8]...) -> [UInt8] {
        let bytes = fields.flatMap(\.self)
        return [0x12, UInt8(bytes.count)] + bytes
    }
    private static func put(_ property: UInt32, _ value: Value) -> [UInt8] {
        Put(content: ContentCoding.encode([.init(property: PropertyID(property), value: value)])).encoded()
    }
    private static let tea = field([0x08, 1, 0x12, 3] + Array("tea".utf8))

    /// Puts that cannot be encoded from their named members alone.
    private static let unusual: [(String, [UInt8])] = [
        ("text that is not UTF-8", content(field([0x08, 1, 0x12, 2, 0x61, 0xFF]))),
        ("a JSON null", put(9, .string("null"))), ("spaces in JSON", put(9, .string("{ \"a\" : 1 }"))),
        ("a field of a later version", content(tea) + [0x18, 5]),
        ("a field beside a value", content(field([0x08, 1, 0x12, 1, 0x61, 0x48, 9]))),
        ("another order", content(field([0x08, 2, 0x18, 20]), tea)),
        ("a value of a later form", content(field([0x08, 1, 0x3A, 1, 0]))), ("no put", [0x12]),
        ("a signalling NaN", put(3, .double(Double(bitPattern: 0x7FF0_0000_0000_0001)))),
    ]

    /// Puts that are encoded from their named members alone.
    private static let usual: [[UInt8]] = [
        [], put(1, .string("Zoe\u{301}\0")), put(2, .integer(.min)), put(3, .double(-0.0)), put(3, .double(.infinity)),
        put(3, .double(-.infinity)), put(3, .double(.nan)), put(3, .double(.leastNonzeroMagnitude)),
        put(9, .string(#"{"a":[1.50,-0]}"#)), put(9, .string(#"{"a":1,"a":2}"#)), put(9, .string(#""\ud800""#)),
        put(9, .string("{")), put(2, .string("12")), put(1, .data([0xFF])), put(3, .integer(5)),
        put(10, .null), put(77, .string("later")), put(77, .double(.nan)),
    ]

    @Test(arguments: unusual)
    func anUnusualPutComesBack(_ name: String, _ put: [UInt8]) throws {
        let names = try Self.names()
        let object = names.exactObject(put, of: Self.entity)
        #expect(object["#"]?.stringValue == Base64.encode(put))
        let read = try JSONParser.parse(object.text, depthMax: 70)
        #expect(try names.put(read, of: Self.entity) == put)
    }

    @Test(arguments: usual)
    func anUsualPutNeedsNoCopyOfItself(_ put: [UInt8]) throws {
        let names = try Self.names()
        let object = names.exactObject(put, of: Self.entity)
        #expect(object["#"] == nil)
        #expect(try names.put(try JSONParser.parse(object.text), of: Self.entity) == put)
    }

    /// An edit of an attribute preserves the fields that no member names.
    @Test func anEditReplacesWhatItNames() throws {
        let names = try Self.names()
        let later: [UInt8] = [0x18, 5]
        let double = Self.field([0x08, 3, 0x21] + [0, 0, 0, 0, 0, 0, 0, 0x80])
        let json = ContentCoding.encode([.init(property: PropertyID(9), value: .string(#"{"a":1,"a":2}"#))])
        let before = Self.content(Self.tea, double, json) + later
        var members = try #require(names.exactObject(before, of: Self.entity).members)
        members[0].value = .string("cab")
        // The edit of a client whose JSON has no negative zero.
        members[1].value = .number("0")
        members.append(.init("parent", .string("01234567-89ab-cdef-fedc-ba9876543210")))
        let cab = Self.field([0x08, 1, 0x12, 3] + Array("cab".utf8))
        let after = try names.put(.object(members), of: Self.entity)
        let target = try #require(RecordID("01234567-89ab-cdef-fedc-ba9876543210"))
        let reference = Put(references: [.init(relationship: PropertyID(20), target: target)])
        #expect(after == reference.encoded() + Self.content(cab, double, json) + later)
    }

    /// Earlier servers wrote the value under its name, next to the whole put.
    @Test func anEditMayNameAnUnfitValueAsEarlierServersDid() throws {
        let names = try Self.names()
        let before = Self.content(Self.tea, Self.field([0x08, 2, 0x12, 2, 0x31, 0x32]))
        let whole = Base64.encode(before)
        func put(_ text: String) throws -> [UInt8] { try names.put(try JSONParser.parse(text), of: Self.entity) }
        #expect(try put(##"{"s":"tea","i":"12","#":"\##(whole)"}"##) == before)
        #expect(try put(##"{"s":"tea","#2":{"text":"12"},"#":"\##(whole)"}"##) == before)
        #expect(try put(##"{"s":"tea","#":"\##(whole)"}"##) == Self.content(Self.tea))
        #expect(
            try put(##"{"s":"tea","i":12,"#":"\##(whole)"}"##)
                == Self.content(Self.tea, Self.field([0x08, 2, 0x18, 24])))
    }

    @Test func aMemberThatIsLeftOutIsNil() throws {
        let names = try Self.names()
        let before = Self.content(Self.tea, Self.field([0x08, 2, 0x18, 20])) + [0x18, 5]
        let members = try #require(names.exactObject(before, of: Self.entity).members).filter { $0.name != "i" }
        #expect(try names.put(.object(members), of: Self.entity) == Self.content(Self.tea) + [0x18, 5])
    }

    @Test(arguments: [##"{"#":1}"##, ##"{"#":"?"}"##, ##"{"#":"Eg==","s":"a"}"##])
    func whatIsNoPutIsRefused(_ text: String) throws {
        let names = try Self.names()
        #expect(throws: AttributeJSON.Mismatch.self) { try names.put(try JSONParser.parse(text), of: Self.entity) }
    }

    @Test(arguments: [
        (#"{"f":"infinity"}"#, false), (#"{"f":"Inf"}"#, false), (#"{"f":"1.5"}"#, false), (#"{"f":1e999}"#, false),
        (#"{"f":"inf"}"#, true), (#"{"f":"-inf"}"#, true), (#"{"f":"nan"}"#, true),
    ])
    func oneFormOfADoubleThatIsNotFiniteIsRead(_ text: String, _ isRead: Bool) throws {
        let names = try Self.names()
        let object = try JSONParser.parse(text)
        if isRead {
            #expect(try names.object(names.put(object, of: Self.entity), of: Self.entity).text == text)
        } else {
            #expect(throws: AttributeJSON.Mismatch.self) { try names.put(object, of: Self.entity) }
        }
    }
}
