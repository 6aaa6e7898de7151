import RoostModel
import Testing

@Suite struct JSONFootprintTests {
    @Test(arguments: [
        ("0", 0, 0), ("[]", 1, 0), ("[1,2,3]", 3, 0), (#"{"a":1,"b":[2,3]}"#, 4, 2), (#""a,b:c[{""#, 0, 0),
        (#"["\",[", "\\"]"#, 2, 0), (#"{"a""#, 1, 0), (#""\"#, 0, 0), ("", 0, 0),
    ])
    func countsOutsideTexts(text: String, values: Int, members: Int) {
        let footprint = JSONFootprint(of: Array(text.utf8))
        #expect(footprint.values == values)
        #expect(footprint.members == members)
    }

    @Test func textsCountByTheirBytes() {
        let text = Array(#"["\#(String(repeating: "a, ", count: 10_000))"]"#.utf8)
        #expect(JSONFootprint(of: text).bytes < 3 * text.count)
    }
}
