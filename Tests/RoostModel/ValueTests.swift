import RoostModel
import Testing

/// Two values are equal if their encodings are the same bytes.
@Suite struct ValueTests {
    private static let composed = Value.text("Zo\u{E9}")
    private static let decomposed = Value.text("Zoe\u{301}")

    @Test(arguments: [
        (composed, decomposed), (.text("K"), .text("\u{212A}")), (.text("a"), .text("a\0")),
        (.real(0), .real(-0.0)), (.real(.nan), .real(Double(bitPattern: Double.nan.bitPattern ^ 1 << 63))),
        (.text("1"), .bytes([49])), (.integer(1), .real(1)), (.integer(0), .boolean(false)), (.null, .text("")),
    ])
    func valuesOfOtherBytesDiffer(_ left: Value, _ right: Value) {
        #expect(left != right)
        #expect(Set([left, right]).count == 2)
    }

    @Test(arguments: [
        composed, decomposed, .text(""), .text("a\0b"), .real(.nan), .real(-0.0), .real(.infinity), .integer(.min),
        .boolean(true), .bytes([]), .null,
    ])
    func aValueEqualsItself(_ value: Value) {
        // Built from parts, so that the copy has memory of its own.
        let other =
            if case .text(let text) = value { Value.text(String(text.unicodeScalars.map(Character.init))) } else {
                value
            }
        #expect(value == other)
        #expect(value.hashValue == other.hashValue)
        #expect(Set([value, other]).count == 1)
    }
}
