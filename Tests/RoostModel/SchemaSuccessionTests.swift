import RoostModel
import Testing

@Suite struct SchemaSuccessionTests {
    private static func problems(_ old: String, _ new: String) throws -> [String] {
        try Schema(json: new).problems(asSuccessorOf: Schema(json: old)).map { "\($0.severity): \($0)" }
    }

    private static func attributes(_ old: String, _ new: String) throws -> [String] {
        try problems(
            SchemaText.attributes(#"{"id": 1, "name": "a", \#(old)}"#),
            SchemaText.attributes(#"{"id": 1, "name": "a", \#(new)}"#, version: 2))
    }

    @Test func renameIsFree() throws {
        let old = SchemaText.attributes(#"{"id": 1, "name": "a", "type": "date"}"#)
        let new = SchemaText.file(
            #"{"id": 1, "name": "Z", "attributes": [{"id": 1, "name": "b", "type": "date"}]}"#, version: 2)
        #expect(try Self.problems(old, new).isEmpty)
    }

    @Test func renameOfBothEndsOfAReferenceIsFree() throws {
        let new = SchemaText.reference(version: 2).replacing("\"B\"", with: "\"C\"").replacing(
            "\"as\"", with: "\"all\"")
        #expect(try Self.problems(SchemaText.reference(), new).isEmpty)
    }

    @Test(arguments: [1, 3])
    func versionGrowsByOne(version: Int) throws {
        let text = SchemaText.attributes("", version: version)
        #expect(
            try Self.problems(SchemaText.attributes(""), text) == [
                "error: Schema: the version is \(version), expected 2. Write \"version\": 2."
            ])
    }

    @Test func nameStays() throws {
        let new = SchemaText.file(#"{"id": 1, "name": "A"}"#, name: "other", version: 2)
        #expect(
            try Self.problems(SchemaText.attributes(""), new) == [
                "error: Schema: the schema is \"other\", expected \"test\". Keep the name, or make a new scope."
            ])
    }

    @Test func typeStays() throws {
        #expect(
            try Self.attributes(#""type": "string""#, #""type": "date""#) == [
                "error: Schema entity \"A\", property \"a\": its id 1 was that of the string \"a\". "
                    + "Give it an id that was never used, and leave 1 to what it was."
            ])
    }

    @Test(arguments: [
        ("date", #""string""#), ("json", #""string""#), ("uuid", #""data""#), ("timestamp", #""integer""#),
        ("boolean", #""integer", "widens": "boolean""#), ("integer", #""double", "widens": "integer""#),
    ])
    func aTypeMayGrow(_ old: String, _ new: String) throws {
        let problems = try Self.attributes("\"type\": \"\(old)\"", "\"type\": \(new)")
        #expect(problems.count == 1)
        #expect(problems[0].hasPrefix("warning: Schema entity \"A\", property \"a\": its type grows from \(old) to "))
        // The original type stays declared.
        #expect(try Self.attributes("\"type\": \(new)", "\"type\": \(new)").isEmpty)
    }

    @Test func aTypeThatTravelsInAnotherFormSaysSo() throws {
        #expect(
            try Self.attributes(#""type": "integer""#, #""type": "double""#) == [
                "error: Schema entity \"A\", property \"a\": it was integer \"a\", and does not say so. "
                    + "Write \"widens\": \"integer\"."
            ])
        #expect(
            try Self.attributes(#""type": "double", "widens": "integer""#, #""type": "double""#) == [
                "error: Schema entity \"A\", property \"a\": what it widens is not what it was; values would travel in "
                    + "another form. Write \"widens\": \"integer\"."
            ])
        #expect(throws: SchemaError.self) {
            try Schema(
                json: SchemaText.attributes(
                    #"{"id": 1, "name": "a", "type": "string", "widens": "integer"}"#))
        }
    }

    /// Values of a former boolean are sent as booleans for ever, and a double does not accept these.
    @Test func aTypeThatGrewDoesNotGrowOnIntoAnotherForm() throws {
        #expect(
            try Self.attributes(
                #""type": "integer", "widens": "boolean""#, #""type": "double", "widens": "integer""#) == [
                    "error: Schema entity \"A\", property \"a\": its id 1 was that of the integer \"a\". "
                        + "Give it an id that was never used, and leave 1 to what it was."
                ])
    }

    @Test func aTypeMayHaveGrownTwiceOverVersionsThatArePassedOver() throws {
        let problems = try Self.attributes(#""type": "timestamp""#, #""type": "double", "widens": "integer""#)
        #expect(problems.map { $0.prefix(8) } == ["warning:"])
    }

    @Test func theMinimumVersionOnlyGrows() throws {
        func text(_ version: Int, _ minimum: Int) -> String {
            SchemaText.attributes("", version: version)
                .replacing("\"version\": \(version)", with: "\"version\": \(version), \"minimumVersion\": \(minimum)")
        }
        #expect(try Schema(json: text(3, 2)).minimumVersion == 2)
        #expect(try Self.problems(text(2, 1), text(3, 3)).isEmpty)
        #expect(
            try Self.problems(text(2, 2), text(3, 1)) == [
                "error: Schema: the minimum version was 2. Write \"minimumVersion\": 2."
            ])
        #expect(throws: SchemaError.self) { try Schema(json: text(2, 3)) }
    }

    @Test func newRequiredAttributeNeedsADefault() throws {
        let message =
            "error: Schema entity \"A\", property \"a\": it is new and not optional, and the records that are there have "
            + "no value for it. Give it a \"default\", or write \"optional\": true."
        let added = #"{"id": 1, "name": "a", "type": "integer""#
        let old = SchemaText.attributes("")
        #expect(try Self.problems(old, SchemaText.attributes(added + "}", version: 2)) == [message])
        #expect(try Self.problems(old, SchemaText.attributes(added + #", "default": 0}"#, version: 2)).isEmpty)
        #expect(try Self.problems(old, SchemaText.attributes(added + #", "optional": true}"#, version: 2)).isEmpty)
    }

    @Test(arguments: [
        (#""type": "date", "optional": true"#, #""type": "date""#, true),
        (#""type": "date", "optional": true"#, #""type": "date", "default": "2026-01-01""#, false),
        (
            #""type": "date", "optional": true, "default": "2026-01-01""#, #""type": "date", "default": "2026-01-01""#,
            true
        ),
    ])
    func optionalStaysUnlessADefaultFillsIn(old: String, new: String, isRefused: Bool) throws {
        let refusal =
            "error: Schema entity \"A\", property \"a\": it was optional, and records without a value would no longer fit. "
            + "Write \"optional\": true."
        #expect(try Self.attributes(old, new).contains(refusal) == isRefused)
    }

    @Test func becomingOptionalIsWarnedOf() throws {
        #expect(
            try Self.attributes(#""type": "date""#, #""type": "date", "optional": true"#) == [
                "warning: Schema entity \"A\", property \"a\": it becomes optional; a device with version 1 does not show "
                    + "records without a value. Let devices update before you leave it out."
            ])
    }

    @Test func defaultInPlaceOfNilIsWarnedOf() throws {
        let old = #""type": "integer", "optional": true"#
        #expect(
            try Self.attributes(old, old + #", "default": 1"#) == [
                "warning: Schema entity \"A\", property \"a\": it gets a default, which records whose value is nil will "
                    + "show from now on. Leave the default out if that nil has a meaning."
            ])
    }

    /// A record that is older than a default has no value for the attribute.
    @Test func aDefaultStaysWhereAValueIsRequired() throws {
        let old = #""type": "integer", "default": 1"#
        #expect(
            try Self.attributes(old, #""type": "integer""#) == [
                "error: Schema entity \"A\", property \"a\": its default is gone, and records that say nothing of it would no "
                    + "longer fit. Keep the default, or write \"optional\": true."
            ])
        #expect(
            try Self.attributes(#""type": "integer", "optional": true, "default": 1"#, #""type": "integer""#).count == 1
        )
        let optional = #""type": "integer", "optional": true"#
        #expect(
            try Self.attributes(optional + #", "default": 1"#, optional) == [
                "warning: Schema entity \"A\", property \"a\": its default is gone; records that say nothing of it, and showed "
                    + "the default, will show nil. Keep the default if that matters."
            ])
    }

    @Test func anotherDefaultIsWarnedOf() throws {
        let old = #""type": "integer", "default": 1"#
        #expect(
            try Self.attributes(old, #""type": "integer", "default": 2"#) == [
                "warning: Schema entity \"A\", property \"a\": its default changes; records that say nothing of it, as those "
                    + "that are older than it, will show the new one. Keep the default if that matters."
            ])
        #expect(try Self.attributes(old, #""type": "double", "widens": "integer", "default": 1"#).count == 1)
    }

    @Test func attributeDoesNotBecomeARelationship() throws {
        let old = SchemaText.attributes(#"{"id": 1, "name": "b", "type": "uuid"}"#)
        #expect(
            try Self.problems(old, SchemaText.reference(version: 2)) == [
                "error: Schema entity \"A\", property \"b\": its id 1 was that of the attribute \"b\". "
                    + "Give it an id that was never used, and leave 1 to what it was."
            ])
    }

    @Test func referenceDoesNotBecomeRequired() throws {
        #expect(
            try Self.problems(SchemaText.reference(), SchemaText.reference(#", "optional": false"#, version: 2)) == [
                "error: Schema entity \"A\", property \"b\": it was optional and is no longer, and records that are "
                    + "there may name none. Write \"optional\": true."
            ])
    }

    /// The nullify rule may have cleared a reference although it is required, and such records would no longer fit.
    @Test func aReferenceThatCouldBeNilDoesNotBecomeRequiredByItsRule() throws {
        let (old, new) = (
            SchemaText.reference(#", "optional": false"#),
            SchemaText.reference(#", "optional": false"#, #", "deleteRule": "cascade""#, version: 2)
        )
        #expect(
            try Self.problems(old, new).filter { $0.hasPrefix("error") } == [
                "error: Schema entity \"A\", property \"b\": with the rule that it had it could be nil all the same, and with "
                    + "the new one it cannot, and records that are there may name none. Write \"optional\": true."
            ])
        let optional = SchemaText.reference("", #", "deleteRule": "cascade""#, version: 2)
        #expect(try !Self.problems(old, optional).contains { $0.hasPrefix("error") })
    }

    @Test func whatACascadeHidComesBackWithoutIt() throws {
        let old = SchemaText.reference("", #", "deleteRule": "cascade""#)
        let new = SchemaText.file(#"{"id": 1, "name": "A"}"#, version: 2)
        #expect(
            try Schema(json: new).problems(asSuccessorOf: Schema(json: old)).map(\.reason) == [
                "the entity is gone; devices keep its records but do not show them",
                "it is gone; what records have in it is kept but not shown, and what a cascade by it hid is shown again",
            ])
    }

    @Test func ruleMayChangeWithAWarning() throws {
        let new = SchemaText.reference("", #", "deleteRule": "cascade""#, version: 2)
        #expect(
            try Self.problems(SchemaText.reference(), new) == [
                "warning: Schema entity \"B\", property \"as\": its delete rule changes, and with it what is visible; "
                    + "a device with version 1 follows the old one. Let devices update soon after."
            ])
    }

    @Test func aSingleEndIsWarnedOf() throws {
        let (several, single) = (SchemaText.reference(), SchemaText.reference("", #", "single": true"#))
        func version2(_ text: String) -> String { text.replacing(#""version": 1"#, with: #""version": 2"#) }
        #expect(
            try Self.problems(several, version2(single)) == [
                "warning: Schema entity \"B\", property \"as\": it becomes single; a device with version 1 shows and adds "
                    + "several, of which the one with the greatest identifier shows here. Let devices update soon after."
            ])
        #expect(
            try Self.problems(single, version2(several)) == [
                "warning: Schema entity \"B\", property \"as\": it is no longer single; a device with version 1 shows one of "
                    + "several, and takes the reference away from the others when it sets one. "
                    + "Let devices update before several matter."
            ])
        #expect(try Self.problems(single, version2(single)).isEmpty)
    }

    @Test func destinationStays() throws {
        let old = SchemaText.reference()
        let new = SchemaText.reference(version: 2).replacing(#""id": 2, "name": "B""#, with: #""id": 3, "name": "B""#)
        let reasons = try Schema(json: new).problems(asSuccessorOf: Schema(json: old)).map(\.reason)
        #expect(
            reasons == [
                "the entity is gone; devices keep its records but do not show them",
                "its id 1 was that of the toOne relationship to \"B.as\"",
            ])
    }

    @Test func whatIsGoneKeepsItsID() throws {
        let old = SchemaText.attributes(#"{"id": 5, "name": "a", "type": "date"}"#)
        #expect(
            try Self.problems(old, SchemaText.attributes("", version: 2)) == [
                "warning: Schema entity \"A\", property \"a\": it is gone; what records have in it is kept but not shown. "
                    + "Never give its id 5 to another property."
            ])
    }
}
