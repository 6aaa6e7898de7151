import RoostModel
import Testing

@Suite struct CalendarTextTests {
    @Test(arguments: ["2026-07-14", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"])
    func dayThatExistsIsValid(_ text: String) {
        #expect(CalendarText.isValid(text))
    }

    @Test(arguments: [
        "", "2026-7-14", "2026-02-29", "1900-02-29", "2026-04-31", "2026-13-01", "2026-00-10", "2026-01-00",
        "0000-01-01",
        "2026/07/14", "2026-07-14T", "é026-07-1",
    ])
    func otherTextIsNot(_ text: String) {
        #expect(!CalendarText.isValid(text))
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.001Z", 1), ("1969-12-31T23:59:59.999Z", -1),
            ("2026-07-14T09:30:00.000Z", 1_784_021_400_000), ("0001-01-01T00:00:00.000Z", -62_135_596_800_000),
        ] as [(String, Int64)])
    func instantIsMillisecondsSince1970(text: String, milliseconds: Int64) {
        #expect(CalendarText.milliseconds(ofUTC: text) == milliseconds)
    }

    @Test(arguments: [-62_135_596_800_000, -1, 0, 951_782_400_000, 1_784_021_400_123] as [Int64])
    func instantComesBackFromItsText(_ milliseconds: Int64) {
        #expect(CalendarText.milliseconds(ofUTC: CalendarText.utcText(milliseconds: milliseconds)) == milliseconds)
    }

    @Test(arguments: [
        "2026-07-14 09:30:00Z", "2026-07-14T24:00:00Z", "2026-07-14T09:60:00Z", "2026-07-14T09:30:60Z",
        "2026-07-14T09:30:00", "2026-07-14T09:30:00.00Z", "2026-07-14T09:30:00+0Z",
    ])
    func otherInstantIsRefused(_ text: String) {
        #expect(CalendarText.milliseconds(ofUTC: text) == nil)
    }

    @Test(arguments: [Int64.min, Int64.max])
    func instantsFarAwayHaveATextToo(_ milliseconds: Int64) {
        #expect(CalendarText.utcText(milliseconds: milliseconds).hasSuffix("Z"))
    }
}
