import CekikapeyeRules
import Testing

struct SplitTests {
    private static let ana = "00000001-0000-4000-8000-000000000000"
    private static let bob = "00000002-0000-4000-8000-000000000000"

    @Test func textIsCanonical() throws {
        let people = try Samples.people(2)
        let split = try Split.even(payers: [people[1]: 1000], participants: people.reversed())
        #expect(
            split.json
                == #"{"mode":"even","payers":{"\#(Self.bob)":1000},"rule":1,"shares":{"\#(Self.ana)":1,"\#(Self.bob)":1}}"#
        )
    }

    @Test func everyModeComesBackEqual() throws {
        let people = try Samples.people(3)
        let payers = [people[0]: Int64(1000)]
        let splits = [
            try Split.even(payers: payers, participants: people),
            try Split(mode: .shares, payers: payers, shares: [people[0]: 2, people[1]: 0, people[2]: 5]),
            try Split(mode: .percent, payers: payers, shares: [people[0]: 2500, people[2]: 7500]),
            try Split(mode: .exact, payers: payers, shares: [people[0]: -300], rest: [people[2], people[1]]),
            try Split(mode: .net, payers: [:], shares: [people[0]: 500, people[1]: -500]),
        ]
        for split in splits { #expect(try Split(json: split.json) == split) }
    }

    @Test func unknownKeysSurviveReadingAndWriting() throws {
        let text =
            #"{"items":[{"b":1.50,"a":"\u00e9\n"},null,true],"mode":"even","payers":{},"rule":1,"shares":{"\#(Self.ana)":1}}"#
        let kept =
            #"{"items":[{"a":"é\n","b":1.50},null,true],"mode":"even","payers":{},"rule":1,"shares":{"\#(Self.ana)":1}}"#
        let split = try Split(json: text)
        #expect(split.json == kept)
        #expect(try Split(json: kept).json == kept)
        let edited = try Split.even(payers: [:], participants: [try PersonID(Self.bob)]).keepingUnknownKeys(of: split)
        #expect(edited.json.contains(#""items":[{"a":"é\n""#))
    }

    @Test func spacesAndOrderOfTheTextDoNotMatter() throws {
        let text = " { \"shares\" : {\"\(Self.ana)\" : 1},\n\"rule\":1, \"payers\": { }, \"mode\":\"even\" } "
        #expect(try Split(json: text) == Split.even(payers: [:], participants: [PersonID(Self.ana)]))
    }

    @Test(arguments: [
        ("", SplitError.notJSON(byte: 0, expected: "a value")), ("[]", .notJSON(byte: 0, expected: "an object")),
        ("{}", .missingKey("rule")), (#"{"rule":2}"#, .unknownRule(2)),
        (#"{"rule":"1"}"#, .wrongType(key: "rule", expected: "an integer")),
        (#"{"rule":1.0}"#, .wrongType(key: "rule", expected: "an integer")),
        (#"{"rule":1}"#, .missingKey("mode")), (#"{"rule":1,"mode":1}"#, .wrongType(key: "mode", expected: "a string")),
        (#"{"rule":1,"mode":"fair"}"#, .unknownMode("fair")), (#"{"rule":1,"mode":"even"}"#, .missingKey("payers")),
        (#"{"rule":1,"mode":"even","payers":{}}"#, .missingKey("shares")),
        (#"{"rule":1,"mode":"even","payers":[],"shares":{}}"#, .wrongType(key: "payers", expected: "an object")),
        (#"{"rule":1,"mode":"even","payers":{},"shares":{}}"#, .participantCount(0, limit: 1000)),
        (
            #"{"rule":1,"mode":"even","payers":{},"shares":{"\#(ana)":1.5}}"#,
            .wrongType(key: "shares", expected: "integers")
        ),
        (
            #"{"rule":1,"mode":"even","payers":{},"shares":{"\#(ana)":"1"}}"#,
            .wrongType(key: "shares", expected: "integers")
        ),
        (#"{"rule":1,"mode":"even","payers":{},"shares":{"Ana":1}}"#, .badPerson(.notCanonical("Ana"))),
        (#"{"rule":1,"rule":1}"#, .notJSON(byte: 10, expected: "a key not yet used")),
        (#"{"rule":01}"#, .notJSON(byte: 9, expected: "\"}\"")),
        (#"{"rule":1}x"#, .notJSON(byte: 10, expected: "the end")),
        (#"{"a":"\ud800"}"#, .notJSON(byte: 12, expected: "a surrogate pair")),
    ])
    func malformedTextIsRefused(text: String, error: SplitError) {
        #expect(throws: error) { try Split(json: text) }
    }

    @Test func nestingAndLengthHaveLimits() {
        let nested = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        #expect(throws: SplitError.notJSON(byte: 32, expected: "at most 32 levels")) { try Split(json: nested) }
        let long = String(repeating: " ", count: Split.jsonBytesMax + 1)
        #expect(throws: SplitError.tooLong(limit: Split.jsonBytesMax)) { try Split(json: long) }
    }

    @Test func pairOfSurrogatesIsOneScalar() throws {
        let text = #"{"mode":"even","note":"\ud83c\udf55","payers":{},"rule":1,"shares":{"\#(Self.ana)":1}}"#
        #expect(try Split(json: text).json.contains(#""note":"🍕""#))
    }

    @Test func upperCaseIdentifierIsRefused() {
        let text = "ABCDEF01-0000-4000-8000-000000000000"
        #expect(throws: IdentifierError.notCanonical(text)) { try PersonID(text) }
    }

    @Test func identifierIsMadeOfSixteenBytes() throws {
        #expect(try PersonID(bytes: Array(0..<16)).text == "00010203-0405-0607-0809-0a0b0c0d0e0f")
        #expect(throws: IdentifierError.wrongLength(3)) { try PersonID(bytes: [1, 2, 3]) }
    }

    @Test func personListedTwiceInRestIsRefused() throws {
        let text = #"{"rule":1,"mode":"exact","payers":{},"shares":{},"rest":["\#(Self.ana)","\#(Self.ana)"]}"#
        #expect(throws: SplitError.personTwice(try PersonID(Self.ana))) { try Split(json: text) }
    }
}
