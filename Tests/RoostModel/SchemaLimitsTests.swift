import RoostModel
import Testing

/// Schemas that can be read but exceed the limits of new scopes.
@Suite struct SchemaLimitsTests {
    private static func text(entities: Int = 1, attributes: Int = 1, default value: String = "\"a\"") -> String {
        let attributes = (1...attributes).map {
            #"{"id": \#($0), "name": "a\#($0)", "type": "string", "default": \#(value)}"#
        }
        let entities = (1...entities).map {
            #"{"id": \#($0), "name": "E\#($0)", "attributes": [\#(attributes.joined(separator: ", "))]}"#
        }
        return #"{"format": 1, "name": "s", "version": 1, "entities": [\#(entities.joined(separator: ", "))]}"#
    }

    private static func problems(_ text: String) throws -> [String] {
        try Schema(json: text).limitProblems().map { "\($0.entity ?? "").\($0.property ?? ""): \($0.reason)" }
    }

    @Test func schemaWithinTheLimitsHasNoProblem() throws {
        #expect(try Self.problems(Self.text(entities: 10, attributes: 128)) == [])
    }

    @Test(arguments: [129, 199, 2100])
    func entityWithMorePropertiesThanARecordMayHaveIsNamed(count: Int) throws {
        #expect(
            try Self.problems(Self.text(attributes: count)) == [
                "E1.: there are \(count) attributes and references, a server refuses records with more than 128"
            ])
    }

    @Test func defaultThatNoStatementCanSayIsNamed() throws {
        #expect(
            try Self.problems(Self.text(default: #""a\u0000b""#)) == [
                "E1.a1: the default contains U+0000, which no SQL statement can say"
            ])
    }

    @Test func moreEntitiesThanDevicesJoinWithinAMomentAreNamed() throws {
        #expect(
            try Self.problems(Self.text(entities: 1900)) == [
                ".: there are 1900 entities and many-to-many relationships, the limit is 500"
            ])
    }

    /// A check of a file reports errors and exceeded limits in one run.
    @Test func limitsAndErrorsComeAtOnce() throws {
        let text = Self.text(attributes: 129).replacing(
            "\"name\": \"a7\", \"type\": \"string\"", with: "\"name\": \"a7\", \"type\": \"text\"")
        let (schema, problems) = Schema.check(json: text)
        #expect(schema == nil)
        #expect(problems.map(\.severity) == [.error, .error])
        #expect(problems.map(\.property) == ["a7", nil])
    }

    @Test func aValidFileHasItsWarnings() throws {
        let text = Self.text().replacing("\"type\"", with: "\"colour\": 1, \"type\"")
        let (schema, problems) = Schema.check(json: text)
        #expect(schema?.name == "s")
        #expect(problems.map(\.severity) == [.warning])
    }

    @Test func fileThatIsTooLargeForAServerIsNamed() throws {
        let text = Self.text() + String(repeating: " ", count: 256 * 1024)
        #expect(try Self.problems(text).count == 1)
    }
}
