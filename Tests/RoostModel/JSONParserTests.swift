import RoostModel
import Testing

@Suite struct JSONParserTests {
    @Test(
        arguments: [
            ("null", .null), (" true ", .boolean(true)), ("0", .number("0")), ("-12.50e+3", .number("-12.50e+3")),
            ("123456789012345678901234567890", .number("123456789012345678901234567890")),
            (#""a\"\\\/\b\f\n\r\t""#, .string("a\"\\/\u{8}\u{C}\n\r\t")), (#""\u00e9\ud83d\ude00""#, .string("é😀")),
            ("[]", .array([])), ("[ 1 , [ ] ]", .array([.number("1"), .array([])])), ("{}", .object([])),
            (#"{"b": 1, "a": null}"#, .object([.init("b", .number("1")), .init("a", .null)])),
        ] as [(String, JSONValue)])
    func textIsRead(text: String, value: JSONValue) throws {
        #expect(try JSONParser.parse(text) == value)
    }

    @Test(arguments: [
        ("", "line 1, column 1: the text ends where a value should be"),
        ("01", "line 1, column 2: more text after the value"),
        ("1.", "line 1, column 3: expected a digit after '.'"),
        ("1e", "line 1, column 3: expected a digit in the exponent"),
        ("-", "line 1, column 2: expected a value"), ("+1", "line 1, column 1: expected a value"),
        (".5", "line 1, column 1: expected a value"), ("NaN", "line 1, column 1: expected a value"),
        ("tru", "line 1, column 1: expected a value"), ("[1,]", "line 1, column 4: expected a value"),
        ("[1 2]", "line 1, column 4: expected ',' or ']'"),
        (#"{"a" 1}"#, "line 1, column 6: expected ':' after the name \"a\""),
        ("{a: 1}", "line 1, column 2: expected a name in quotes"),
        (#"{"a": 1,}"#, "line 1, column 9: expected a name in quotes"),
        ("{\"a\": 1,\n \"a\": 2}", "line 2, column 5: the name \"a\" is there twice"),
        (#""\ud83d""#, "line 1, column 8: a surrogate stands alone"),
        (#""\ude00""#, "line 1, column 8: a surrogate stands alone"),
        (#""\ud83d\u0041""#, "line 1, column 14: a surrogate stands alone"),
        (#""\x""#, "line 1, column 4: unknown escape"),
        (#""\u12g4""#, "line 1, column 4: expected four hexadecimal digits"),
        ("\"a", "line 1, column 3: the text ends inside a string"),
        ("\"a\nb\"", "line 2, column 1: a control character inside a string must be escaped"),
    ])
    func otherTextIsRefusedWithItsPlace(text: String, message: String) {
        let error = #expect(throws: JSONError.self) { try JSONParser.parse(text) }
        #expect(error?.description == message)
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        #expect(throws: JSONError.self) { try JSONParser.parse([0x22, 0xFF, 0x22]) }
    }

    @Test func depthHasALimit() throws {
        let allowed = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
        #expect(try JSONParser.parse(allowed) != .null)
        #expect(throws: JSONError.self) { try JSONParser.parse("[\(allowed)]") }
        #expect(throws: JSONError.self) { try JSONParser.parse(String(repeating: "[", count: 1_000_000)) }
    }

    @Test(arguments: [
        #"{"a":[1.50,"é\n\"\\",null,true,{}],"b":[]}"#, #""\u0000\u007f""#, "-0.0",
    ])
    func writtenTextComesBack(_ text: String) throws {
        let value = try JSONParser.parse(text)
        #expect(value.text == text)
        #expect(try JSONParser.parse(value.prettyText) == value)
    }
}
