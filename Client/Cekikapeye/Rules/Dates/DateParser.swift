/// Parses the day of an expense as users type it.
package struct DateParser: Hashable, Sendable {
    /// The current day of the device, from which words such as `yesterday` count.
    package let today: PlainDate

    /// The maximum number of days in `-Nd`.
    package static let daysBackMax = 36_525

    /// Makes a parser for one day.
    package init(today: PlainDate) {
        self.today = today
    }

    /// Parses `YYYY-MM-DD`, `today`, `yesterday` (`aujourd'hui`, `hier`) or `-3d` (`-3j`), ignoring case.
    ///
    /// - Throws: ``DateError``. Nothing is guessed: `31/12/2026` is refused, since some countries put the month first.
    package func parse(_ text: String) throws(DateError) -> PlainDate {
        let word = text.trimmingBlanks().lowercased()
        switch word {
        case "today", "aujourd'hui", "aujourd\u{2019}hui": return today
        case "yesterday", "hier": return try daysBack(1, text)
        default: break
        }
        guard word.hasPrefix("-"), let unit = word.last, unit == "d" || unit == "j" else {
            return try PlainDate(word)
        }
        let digits = word.dropFirst().dropLast()
        guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }) else { throw .notADate(text) }
        guard let days = Int(digits), days <= Self.daysBackMax else { throw .outOfRange(text) }
        return try daysBack(days, text)
    }

    private func daysBack(_ days: Int, _ text: String) throws(DateError) -> PlainDate {
        guard let date = today.adding(days: -days) else { throw .outOfRange(text) }
        return date
    }
}
