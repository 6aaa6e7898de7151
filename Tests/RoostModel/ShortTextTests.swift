import RoostModel
import Testing

@Suite struct ShortTextTests {
    @Test(arguments: [
        ("Ana", 3, "Ana"), ("Anna", 3, "An…"), ("", 3, ""), ("Chloé", 5, "Chloé"), ("👨‍👩‍👧👨‍👩‍👧", 1, "…"),
    ])
    func aTextIsCutToAWidth(text: String, width: Int, shown: String) {
        #expect(ShortText.cut(text, to: width) == shown)
    }

    /// A single character may have a million combining marks.
    @Test func aCharacterIsNoMeasureOfBytes() {
        let text = "a" + String(repeating: "\u{301}", count: 1_000_000)
        #expect(text.count == 1)
        #expect(ShortText.name(text).utf8.count <= 1603)
        #expect(ShortText.name(String(repeating: "N", count: 5_000_000)).count == 100)
    }
}
