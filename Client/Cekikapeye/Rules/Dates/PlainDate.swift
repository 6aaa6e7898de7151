/// A calendar day, without time or time zone: the day on which an expense was made.
package struct PlainDate: Hashable, Sendable {
    /// The year, from 1 to 9999.
    package let year: Int
    /// The month, from 1 to 12.
    package let month: Int
    /// The day, from 1 to the length of the month.
    package let day: Int

    /// Makes a day; `nil` if the calendar has no such day.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month) else { return nil }
        guard (1...Self.length(ofMonth: month, year: year)).contains(day) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Parses exactly `YYYY-MM-DD`.
    ///
    /// - Throws: ``DateError/notADate(_:)``, or ``DateError/noSuchDay(_:)`` for 2026-02-30 and the like.
    package init(_ text: String) throws(DateError) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else {
            throw .notADate(text)
        }
        guard let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]),
            let day = Self.number(bytes[8..<10])
        else { throw .notADate(text) }
        guard let date = PlainDate(year: year, month: month, day: day) else { throw .noSuchDay(text) }
        self = date
    }

    /// Returns the day `days` later, or earlier if `days` is negative; `nil` outside the years 1 to 9999.
    package func adding(days: Int) -> PlainDate? {
        let (shifted, overflow) = dayNumber.addingReportingOverflow(days)
        guard !overflow, (Self.firstDay...Self.lastDay).contains(shifted) else { return nil }
        return PlainDate(dayNumber: shifted)
    }

    /// Parses digits only: `Int(_:)` would accept a sign.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension PlainDate {
    private static let firstDay = 306
    private static let lastDay = 3_652_364

    /// The number of days since 0000-03-01. Years begin in March here, so that the leap day is the last one and all
    /// months follow one formula.
    private var dayNumber: Int {
        let shiftedYear = month > 2 ? year : year - 1
        let shiftedMonth = (month + 9) % 12
        return 365 * shiftedYear + shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400
            + (shiftedMonth * 306 + 5) / 10 + day - 1
    }

    private init?(dayNumber: Int) {
        var year = (10_000 * dayNumber + 14_780) / 3_652_425
        var rest = dayNumber - (365 * year + year / 4 - year / 100 + year / 400)
        if rest < 0 {
            year -= 1
            rest = dayNumber - (365 * year + year / 4 - year / 100 + year / 400)
        }
        let shiftedMonth = (100 * rest + 52) / 3060
        self.init(
            year: year + (shiftedMonth + 2) / 12, month: (shiftedMonth + 2) % 12 + 1,
            day: rest - (shiftedMonth * 306 + 5) / 10 + 1)
    }
}

extension PlainDate: Comparable {
    /// Orders days chronologically.
    package static func < (left: PlainDate, right: PlainDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

extension PlainDate: CustomStringConvertible {
    /// The day as `YYYY-MM-DD`.
    package var description: String { "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))" }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: width - digits.count) + digits
    }
}
