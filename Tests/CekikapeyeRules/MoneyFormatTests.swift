import CekikapeyeRules
import Testing

struct MoneyFormatTests {
    @Test(arguments: [
        (-123_456_750, "EUR", "-1234567.50 EUR"), (5, "EUR", "0.05 EUR"), (0, "EUR", "0.00 EUR"),
        (-5, "EUR", "-0.05 EUR"),
        (1234, "JPY", "1234 JPY"), (0, "JPY", "0 JPY"), (1234, "KWD", "1.234 KWD"), (7, "CLF", "0.0007 CLF"),
        (Int64.min, "EUR", "-92233720368547758.08 EUR"),
    ])
    func plainIsASCII(minorUnits: Int64, code: String, text: String) throws {
        let money = Money(minorUnits: minorUnits, currency: try Currency(code: code))
        #expect(MoneyFormat.plain.string(from: money) == text)
    }

    @Test(arguments: [
        (-123_456_750, "EUR", "-1\u{202F}234\u{202F}567,50\u{00A0}€"), (100_000, "EUR", "1\u{202F}000,00\u{00A0}€"),
        (99_999, "USD", "999,99\u{00A0}$US"), (1234, "JPY", "1\u{202F}234\u{00A0}JPY"),
        (123_457, "COP", "1\u{202F}234,57\u{00A0}COP"),
    ])
    func prettyFrench(minorUnits: Int64, code: String, text: String) throws {
        let money = Money(minorUnits: minorUnits, currency: try Currency(code: code))
        #expect(MoneyFormat.pretty(.french).string(from: money) == text)
    }

    @Test(arguments: [
        (-123_456_750, "EUR", "-€1,234,567.50"), (1234, "JPY", "¥1,234"), (1_234_567, "KWD", "KWD\u{00A0}1,234.567"),
        (-50, "MKD", "-MKD\u{00A0}0.50"),
    ])
    func prettyEnglish(minorUnits: Int64, code: String, text: String) throws {
        let money = Money(minorUnits: minorUnits, currency: try Currency(code: code))
        #expect(MoneyFormat.pretty(.english).string(from: money) == text)
    }

    @Test(arguments: [(1, "+0.01 EUR"), (0, "0.00 EUR"), (-1, "-0.01 EUR")])
    func signedShowsPlus(minorUnits: Int64, text: String) throws {
        let money = Money(minorUnits: minorUnits, currency: try Currency(code: "EUR"))
        #expect(MoneyFormat.plain.signedString(from: money) == text)
    }
}
