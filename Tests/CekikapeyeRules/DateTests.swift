import CekikapeyeRules
import Testing

struct DateTests {
    @Test(arguments: ["2026-07-14", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"])
    func dayIsReadAndWrittenAlike(text: String) throws {
        #expect(try PlainDate(text).description == text)
    }

    @Test(arguments: ["2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "0000-01-01", "2026-01-00"])
    func dayThatIsNotInTheCalendarIsRefused(text: String) {
        #expect(throws: DateError.noSuchDay(text)) { try PlainDate(text) }
    }

    @Test(arguments: [
        "2026-7-14", "14/07/2026", "20260714", "2026-07-14T00:00", "+026-07-14", "2026-+7-14", "", "٢٠٢٦-07-14",
    ])
    func otherFormsAreRefused(text: String) {
        #expect(throws: DateError.notADate(text)) { try PlainDate(text) }
    }

    @Test(arguments: [
        ("today", "2026-03-01"), ("Yesterday", "2026-02-28"), (" hier ", "2026-02-28"), ("aujourd'hui", "2026-03-01"),
        ("-0d", "2026-03-01"), ("-1d", "2026-02-28"), ("-60D", "2025-12-31"), ("-3j", "2026-02-26"),
        ("-365d", "2025-03-01"), ("2027-01-01", "2027-01-01"),
    ])
    func wordsCountFromToday(text: String, day: String) throws {
        let parser = DateParser(today: try PlainDate("2026-03-01"))
        #expect(try parser.parse(text).description == day)
    }

    @Test(arguments: ["tomorrow", "-d", "-1", "-1w", "-+1d", "1d", "--1d"])
    func otherWordsAreRefused(text: String) throws {
        let parser = DateParser(today: try PlainDate("2026-03-01"))
        #expect(throws: DateError.notADate(text)) { try parser.parse(text) }
    }

    @Test(arguments: ["-36526d", "-99999999999999999999d"])
    func endlessPastIsRefused(text: String) throws {
        let parser = DateParser(today: try PlainDate("2026-03-01"))
        #expect(throws: DateError.outOfRange(text)) { try parser.parse(text) }
    }

    @Test func everyDayFollowsTheOneBefore() throws {
        var day = try PlainDate("1896-01-01")
        let end = try PlainDate("2104-12-31")
        while day < end {
            let next = try #require(day.adding(days: 1))
            #expect(next > day && next.adding(days: -1) == day)
            #expect(next.day == 1 || (next.day == day.day + 1 && next.month == day.month))
            day = next
        }
        #expect(try PlainDate("2026-11-21").adding(days: 100)?.description == "2027-03-01")
    }

    @Test func calendarEndsAtTheYears1And9999() throws {
        #expect(try PlainDate("9999-12-31").adding(days: 1) == nil)
        #expect(try PlainDate("9999-12-30").adding(days: 1)?.description == "9999-12-31")
        #expect(try PlainDate("0001-01-01").adding(days: -1) == nil)
        #expect(try PlainDate("0001-01-02").adding(days: -1)?.description == "0001-01-01")
        #expect(try PlainDate("2026-01-01").adding(days: .max) == nil)
    }
}
