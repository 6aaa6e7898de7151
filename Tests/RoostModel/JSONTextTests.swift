import RoostModel
import Testing

/// JSON attributes are checked against the grammar alone, within 64 levels, as SQLite checks them.
@Suite struct JSONTextTests {
    @Test(arguments: [
        "null", " true ", "0", "-12.50e+3", "[]", "[ 1 , [ ] ]", "{}", #"{"b": 1, "a": [{}, {"c": null}]}"#,
        #""a\"\\\/\b\f\n\r\t\u00e9é""#, #"{"a": 1, "a": 2}"#, #""\ud83d""#, "{\"\u{E9}\": 1, \"e\u{301}\": 2}",
        String(repeating: "[", count: 64) + String(repeating: "]", count: 64),
        String(repeating: #"{"a":["#, count: 32) + "1" + String(repeating: "]}", count: 32),
    ])
    func jsonHasNoFault(_ text: String) {
        #expect(JSONText.fault(in: text) == nil)
    }

    @Test(arguments: [
        ("", "line 1, column 1: the text ends where a value should be"),
        ("01", "line 1, column 2: more text after the value"),
        ("1.", "line 1, column 3: expected a digit after '.'"),
        ("1e", "line 1, column 3: expected a digit in the exponent"), ("-", "line 1, column 2: expected a value"),
        (".5", "line 1, column 1: expected a value"), ("NaN", "line 1, column 1: expected a value"),
        ("tru", "line 1, column 4: expected a value"), ("[1,]", "line 1, column 4: expected a value"),
        ("[1,]]", "line 1, column 4: expected a value"), ("[}", "line 1, column 2: expected a value"),
        ("]", "line 1, column 1: expected a value"), ("[1 2]", "line 1, column 4: expected ',' or ']'"),
        (#"{"a":1]"#, "line 1, column 7: expected ',' or '}'"),
        ("{} {}", "line 1, column 4: more text after the value"),
        (#"{"a" 1}"#, "line 1, column 6: expected ':' after a name"),
        ("{a: 1}", "line 1, column 2: expected a name in quotes"),
        (#"{"a": 1,}"#, "line 1, column 9: expected a name in quotes"), (#""\x""#, "line 1, column 4: unknown escape"),
        (#""\u12g4""#, "line 1, column 6: expected four hexadecimal digits"),
        ("\"a", "line 1, column 3: the text ends inside a string"),
        ("\"a\nb\"", "line 2, column 1: a control character inside a string must be escaped"),
        ("1\0", "line 1, column 2: more text after the value"),
        (
            String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
            "line 1, column 65: more than 64 levels deep"
        ),
    ])
    func otherTextHasOneWithItsPlace(_ text: String, _ fault: String) {
        #expect(JSONText.fault(in: text)?.description == fault)
    }

    @Test func bytesThatAreNotUTF8HaveOne() {
        let bytes: [UInt8] = [0x22, 0xFF, 0x22]
        #expect(bytes.withUnsafeBytes { JSONText.fault(in: $0) }?.reason == "the text is not UTF-8")
    }

    /// Everything that the strict parser accepts is JSON by the grammar, too.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func theParserTakesNothingElse(seed: UInt64) {
        var state = seed &+ 1
        func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        let pieces = ["{", "}", "[", "]", ",", ":", "\"a\"", "\"\\u00e9\"", "1", "-0.5e3", "true", "null", " ", "\\"]
        for _ in 0..<2000 {
            let text = (0..<next(9)).map { _ in pieces[next(pieces.count)] }.joined()
            let isParsed = (try? JSONParser.parse(text, depthMax: 64)) != nil
            let isJSON = JSONText.fault(in: text) == nil
            #expect(!isParsed || isJSON, "\(text)")
            // With these pieces, the two differ only in a repeated name.
            if isJSON, !isParsed { #expect(text.contains("\"a\""), "\(text)") }
        }
    }
}
