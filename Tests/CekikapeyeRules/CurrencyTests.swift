import CekikapeyeRules
import Testing

struct CurrencyTests {
    @Test(arguments: [
        ("EUR", 2), ("JPY", 0), ("KWD", 3), ("CLF", 4), ("UYW", 4), ("IQD", 3), ("ISK", 0), ("MGA", 2), ("MRU", 2),
        ("COP", 2), ("IDR", 2), ("HUF", 2), ("MKD", 2), ("UYI", 0), ("VUV", 0), ("XCG", 2), ("ZWG", 2),
    ])
    func exponentFollowsISO(code: String, exponent: Int) throws {
        #expect(try Currency(code: code).exponent == exponent)
    }

    @Test(arguments: [
        ("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF", 0),
        ("BHD IQD JOD KWD LYD OMR TND", 3), ("CLF UYW", 4),
    ])
    func noOtherCurrentCodeHasThisExponent(codes: String, exponent: Int) throws {
        let found = try Currency.currentCodes.filter { try Currency(code: $0).exponent == exponent }
        #expect(found == codes.split(separator: " ").map(String.init))
    }

    @Test(arguments: [("BGN", 2), ("HRK", 2), ("ANG", 2), ("ZWL", 2), ("FRF", 2), ("ITL", 0), ("BYR", 0)])
    func retiredCodeStaysReadable(code: String, exponent: Int) throws {
        let currency = try Currency(code: code)
        #expect(currency.isRetired)
        #expect(currency.exponent == exponent)
    }

    @Test func codeIgnoresCaseAndSpaces() throws {
        #expect(try Currency(code: " eur ").code == "EUR")
    }

    @Test(arguments: ["", "EU", "EURO", "€", "ABC", "points"])
    func unknownCodeIsRefused(code: String) {
        #expect(throws: MoneyError.unknownCurrency(code)) { try Currency(code: code) }
    }

    @Test(arguments: ["XXX", "XAU", "XTS"])
    func codeWithoutMinorUnitIsRefused(code: String) {
        #expect(throws: MoneyError.noMinorUnit(code)) { try Currency(code: code) }
    }
}
