import RoostModel
import Testing

@Suite struct StreamSafeTextTests {
    @Test(arguments: ["", "Chloé", "e\u{301}\u{323}", "नमस्ते", "👨‍👩‍👧", "a" + String(repeating: "\u{301}", count: 30)])
    func textsOfLanguagesStay(_ text: String) {
        #expect(text.streamSafe.isSameText(as: text))
        let long = String(repeating: text, count: 40)
        #expect(long.streamSafe.isSameText(as: long))
    }

    /// The joiner that UAX #15 inserts has combining class 0.
    @Test func longRunsOfMarksAreDivided() {
        let marks = String(repeating: "\u{316}\u{301}", count: 50)
        let safe = ("a" + marks + "b" + marks).streamSafe
        let added = safe.unicodeScalars.filter { $0 == "\u{34F}" }.count
        #expect(added == 6)
        #expect(
            String(String.UnicodeScalarView(safe.unicodeScalars.filter { $0 != "\u{34F}" })).isSameText(
                as: "a" + marks + "b" + marks))
        #expect(safe.streamSafe.isSameText(as: safe))
        #expect(safe.count == 2)
    }
}
