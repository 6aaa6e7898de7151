import TestSupport
import Testing

@testable import RoostModel

/// Names made of combining marks. Comparing or hashing them by Unicode's canonical equivalence would take hours, so a test that
/// ends at all has passed.
@Suite(.timeLimit(.minutes(5))) struct HostileTextTests {
    static let left = HostileText.marks("a", 1_000_000)
    static let right = HostileText.marks("b", 1_000_000)

    @Test func textsAreComparedByTheirBytes() {
        #expect(!Self.left.isSameText(as: Self.right))
        #expect(Self.left.isSameText(as: HostileText.marks("a", 1_000_000)))
        #expect(Value.string(Self.left) != .string(Self.right))
        #expect(Set([ExactText(Self.left), ExactText(Self.right), ExactText(Self.left)]).count == 2)
    }

    @Test func anObjectIsReadAndItsMembersAreFound() throws {
        let text = "{\"\(Self.left)\": 1, \"\(Self.right)\": {\"\(Self.right)\": \"\(Self.left)\"}, \"role\": 2}"
        let value = try JSONParser.parse(text)
        #expect(value["role"]?.integerValue == 2)
        #expect(value["rule"] == nil)
        #expect(value == (try JSONParser.parse(text)))
    }

    /// Members of a put, names of entities, and forms of unknown values are compared by their bytes.
    @Test func namesOfAPutAreLookedUpByTheirBytes() throws {
        let schema = try Schema(
            json: """
                {"format": 1, "name": "trip", "version": 1, "entities": [{"id": 1, "name": "Person", "attributes": [
                  {"id": 1, "name": "name", "type": "string"}], "relationships": []}]}
                """)
        let names = RecordJSON(schema)
        #expect(names.entity(named: Self.left) == nil)
        #expect(names.entity(named: "#" + Self.left) == nil)
        for member in [
            JSONValue.Member(Self.left, .string("x")), .init("#" + Self.left, .string("x")),
            .init("#9", .object([.init(Self.left, .string("x"))])),
            .init("#9", .object([.init("real", .string(Self.left))])),
            .init("#9", .object([.init("record", .string(Self.left))])),
        ] {
            #expect(throws: AttributeJSON.Mismatch.self) { try names.put(.object([member]), of: EntityID(1)) }
        }
        let put = try names.put(
            .members(("name", .string(Self.left)), ("#9", .members(("text", .string(Self.right))))), of: EntityID(1))
        #expect(try names.put(names.exactObject(put, of: EntityID(1)), of: EntityID(1)) == put)
        let revised = names.exactObject(put, of: EntityID(1)).members! + [.init("#", .string(Base64.encode(put)))]
        #expect(try names.put(.object(revised), of: EntityID(1)) == put)
    }

    /// Every text in a schema may be long. A comparison by Unicode's rules would take 64 times as long for eight times the marks.
    @Test func aSchemaIsRefused() {
        let growth = ProcessorTime.growth(from: 25_000, to: 200_000) {
            expectRefusals(ofNames: HostileText.marks("n", $0))
        }
        #expect(growth < 24)
    }

    private func expectRefusals(ofNames name: String) {
        let entity = """
            {"id": 1, "name": "A", "attributes": [{"id": 1, "name": "a", "type": "string"}], "relationships": [
              {"id": 2, "name": "b", "kind": "toOne", "destination": "A", "inverse": "c"},
              {"id": 3, "name": "c", "kind": "toMany", "destination": "A", "inverse": "b", "orderedBy": "a"}]}
            """
        let text = "{\"format\": 1, \"name\": \"s\", \"version\": 1, \"entities\": [\(entity)]}"
        #expect(throws: Never.self) { try Schema(json: text) }
        for part in [
            "\"A\"", "\"a\"", "\"b\"", "\"c\"", "\"s\"", "\"string\"", "\"toOne\"", "\"toMany\"", "\"id\"",
            "\"entities\"",
        ] {
            let hostile = text.replacing(part, with: "\"\(name)\"", maxReplacements: 1)
            let error = #expect(throws: SchemaError.self) { try Schema(json: hostile) }
            #expect(error.map { "\($0)".utf8.count < 20_000 } ?? false)
        }
    }

    @Test func aForeignTextIsNoCase() {
        #expect(Attribute.Kind(foreign: Self.left) == nil)
        #expect(Attribute.Kind(foreign: "string") == .string)
        #expect(Attribute.Kind(foreign: "strin\u{67}\u{301}") == nil)
    }
}
