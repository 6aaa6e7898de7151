/// The text forms of days and instants in the Gregorian calendar, without a time zone database.
package enum CalendarText {
    /// Whether `text` is an existing day, written `YYYY-MM-DD`.
    package static func isValid(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { isValid(UnsafeRawBufferPointer($0)) }
    }

    /// Whether `characters` are an existing day, written `YYYY-MM-DD`.
    package static func isValid(_ characters: UnsafeRawBufferPointer) -> Bool { days(characters) != nil }

    /// Reads `YYYY-MM-DDTHH:MM:SS[.sss]Z` as milliseconds since 1970.
    package static func milliseconds(ofUTC text: String) -> Int64? {
        let characters = Array(text.utf8)
        guard characters.count == 20 || characters.count == 24, characters.last == UInt8(ascii: "Z"),
            let days = characters.withUnsafeBytes({ days(UnsafeRawBufferPointer(rebasing: $0[..<10])) })
        else { return nil }
        let time = Array(characters[10...])
        guard time[0] == UInt8(ascii: "T"), time[3] == UInt8(ascii: ":"), time[6] == UInt8(ascii: ":"),
            let hours = number(time[1...2]), let minutes = number(time[4...5]), let seconds = number(time[7...8]),
            hours < 24, minutes < 60, seconds < 60
        else { return nil }
        var milliseconds: Int64 = 0
        if time.count == 14 {
            guard time[9] == UInt8(ascii: "."), let fraction = number(time[10...12]) else { return nil }
            milliseconds = fraction
        }
        return ((days * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1000 + milliseconds
    }

    /// Whether an instant is in the years 1 to 9999, so that its text can be read back.
    package static func hasText(milliseconds: Int64) -> Bool {
        (-62_135_596_800_000..<253_402_300_800_000).contains(milliseconds)
    }

    /// Writes milliseconds since 1970 as `YYYY-MM-DDTHH:MM:SS.sssZ`.
    package static func utcText(milliseconds: Int64) -> String {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        let day = remainder < 0 ? quotient - 1 : quotient
        let rest = remainder < 0 ? remainder + 86_400_000 : remainder
        let (year, month, date) = civil(day)
        func padded(_ number: Int64, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(date, 2))T\(padded(rest / 3_600_000, 2)):"
            + "\(padded(rest / 60_000 % 60, 2)):\(padded(rest / 1000 % 60, 2)).\(padded(rest % 1000, 3))Z"
    }

    /// Returns the days since 1970 of `YYYY-MM-DD`; `nil` for a day that does not exist.
    private static func days(_ characters: UnsafeRawBufferPointer) -> Int64? {
        guard characters.count == 10, characters[4] == UInt8(ascii: "-"), characters[7] == UInt8(ascii: "-"),
            let year = number(characters[0...3]), let month = number(characters[5...6]),
            let day = number(characters[8...9]), year >= 1, (1...12).contains(month), day >= 1,
            day <= length(month: month, year: year)
        else { return nil }
        // Days from civil, after H. Hinnant, "chrono-Compatible Low-Level Date Algorithms".
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let calendarMonth = month < 10 ? month + 3 : month - 9
        return (
            yearOfEra + era * 400 + (calendarMonth <= 2 ? 1 : 0), calendarMonth, dayOfYear - (153 * month + 2) / 5 + 1
        )
    }

    private static func length(month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func number(_ digits: some Sequence<UInt8>) -> Int64? {
        var result: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            result = result * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return result
    }
}
