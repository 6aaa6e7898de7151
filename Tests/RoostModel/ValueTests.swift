import RoostModel
import Testing

/// Two values are equal if their encodings are the same bytes.
@Suite struct ValueTests {
    private static let composed = Value.string("Zo\u{E9}")
    private static let decomposed = Value.string("Zoe\u{301}")

    @Test(arguments: [
        (composed, decomposed), (.string("K"), .string("\u{212A}")), (.string("a"), .string("a\0")),
        (.double(0), .double(-0.0)), (.double(.nan), .double(Double(bitPattern: Double.nan.bitPattern ^ 1 << 63))),
        (.string("1"), .data([49])), (.integer(1), .double(1)), (.integer(0), .boolean(false)), (.null, .string("")),
    ])
    func valuesOfOtherBytesDiffer(_ left: Value, _ right: Value) {
        #expect(left != right)
        #expect(Set([left, right]).count == 2)
    }

    @Test(arguments: [
        composed, decomposed, .string(""), .string("a\0b"), .double(.nan), .double(-0.0), .double(.infinity),
        .integer(.min),
        .boolean(true), .data([]), .null,
    ])
    func aValueEqualsItself(_ value: Value) {
        // Built from parts, so that the copy has memory of its own.
        let other =
            if case .string(let text) = value { Value.string(String(text.unicodeScalars.map(Character.init))) } else {
                value
            }
        #expect(value == other)
        #expect(value.hashValue == other.hashValue)
        #expect(Set([value, other]).count == 1)
    }
}
