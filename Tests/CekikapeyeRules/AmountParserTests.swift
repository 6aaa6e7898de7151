import CekikapeyeRules
import RoostModel
import Testing

struct AmountParserTests {
    @Test(arguments: [
        ("42,50", 4250), ("42.50", 4250), ("42.5", 4250), ("42", 4200), (" 42 ", 4200), ("-7", -700), ("+7", 700),
        ("\u{2212}7,25", -725), ("1 234,56", 123_456), ("1\u{202F}234,56", 123_456), ("1\u{00A0}234,56", 123_456),
        ("1\u{2009}234.5", 123_450), ("1'234.56", 123_456), ("1\u{2019}234.56", 123_456), ("1.234,56", 123_456),
        ("1,234.56", 123_456), ("1.234.567", 123_456_700), ("1,234,567.8", 123_456_780), ("1 234 567", 123_456_700),
        (".5", 50), ("0.05", 5), ("000", 0), ("12+4.50", 1650), ("12 + 4,50", 1650), ("20-0.01-1", 1899),
        ("- 5 + 3", -200), ("10000000000", 1_000_000_000_000),
    ])
    func readsInEitherLanguage(text: String, minorUnits: Int64) throws {
        for language in Language.allCases {
            let parser = AmountParser(currency: try Currency(code: "EUR"), language: language)
            #expect(try parser.parse(text).money.minorUnits == minorUnits)
        }
    }

    @Test(arguments: [
        ("1.234", "EUR", Language.french, 123_400, MarkGuess.Role.thousands),
        ("1,234", "EUR", .english, 123_400, .thousands), ("1,234", "JPY", .english, 1234, .thousands),
        ("1,234", "KWD", .french, 1234, .decimals), ("1.234", "KWD", .english, 1234, .decimals),
        ("1.234", "KWD", .french, 1_234_000, .thousands),
    ])
    func ambiguousMarkFollowsTheLanguageAndSaysSo(
        text: String, code: String, language: Language, minorUnits: Int64, role: MarkGuess.Role
    ) throws {
        let amount = try AmountParser(currency: try Currency(code: code), language: language).parse(text)
        #expect(amount.money.minorUnits == minorUnits)
        #expect(amount.guesses.map(\.role) == [role] && amount.guesses.map(\.text) == [text])
        #expect(amount.needsEcho)
    }

    @Test(arguments: ["1234.567", "0.234", "12.34", "1 234.567"])
    func numberThatCanBeReadOneWayNeedsNoEcho(text: String) throws {
        let amount = try AmountParser(currency: try Currency(code: "KWD"), language: .french).parse(text)
        #expect(!amount.needsEcho)
    }

    @Test(arguments: [("12.345", Language.english), ("12,345", .french), ("0.001", .french), ("1.2345", .english)])
    func tooManyDecimalsAreNotRounded(text: String, language: Language) throws {
        let euro = try Currency(code: "EUR")
        #expect(throws: AmountError.tooManyDecimals(in: text, euro)) {
            try AmountParser(currency: euro, language: language).parse(text)
        }
    }

    @Test(arguments: ["5.0", "5,5"])
    func currencyWithoutDecimalsTakesNone(text: String) throws {
        let yen = try Currency(code: "JPY")
        #expect(throws: AmountError.tooManyDecimals(in: text, yen)) {
            try AmountParser(currency: yen, language: .english).parse(text)
        }
    }

    @Test(arguments: [
        "12.5abc", "12 EUR", "€12", "1e3", "0x10", "twelve", "12*2", "(12)", "1_000", "١٢", "12\u{0301}",
    ])
    func foreignCharacterIsRefused(text: String) throws {
        let parser = AmountParser(currency: try Currency(code: "EUR"), language: .english)
        let error = #expect(throws: AmountError.self) { try parser.parse(text) }
        guard case .unexpectedCharacter? = error else {
            Issue.record("expected an unexpected character, got \(String(describing: error))")
            return
        }
    }

    @Test(arguments: [
        "12.", "1,,2", "1 23", "12 34", "1.23.456", "1,234,56", "1234 567.00", "1 234'567", "1.234,567,890", ",",
    ])
    func misplacedMarksAreRefused(text: String) throws {
        let parser = AmountParser(currency: try Currency(code: "EUR"), language: .english)
        #expect(throws: AmountError.misplacedMarks(in: text)) { try parser.parse(text) }
    }

    @Test(arguments: ["+", "12+", "--5", "5+-3", "5 - ", "-"])
    func misplacedSignIsRefused(text: String) throws {
        let parser = AmountParser(currency: try Currency(code: "EUR"), language: .english)
        #expect(throws: AmountError.misplacedSign(in: text)) { try parser.parse(text) }
    }

    @Test(arguments: ["10000000000.01", "99999999999999999999999", "9999999999+2"])
    func amountBeyondTheLimitIsRefused(text: String) throws {
        let euro = try Currency(code: "EUR")
        let parser = AmountParser(currency: euro, language: .english)
        #expect(throws: AmountError.tooLarge(in: text, euro)) { try parser.parse(text) }
    }

    @Test func emptyAndEndlessTextsAreRefused() throws {
        let parser = AmountParser(currency: try Currency(code: "EUR"), language: .english)
        #expect(throws: AmountError.empty) { try parser.parse(" \u{00A0}") }
        #expect(throws: AmountError.tooLong(limit: 256)) { try parser.parse(String(repeating: "1", count: 257)) }
    }

    @Test func printedAmountIsReadBack() throws {
        var random = SplitMix64(state: 5)
        for code in ["EUR", "JPY", "KWD", "CLF"] {
            let currency = try Currency(code: code)
            for _ in 0..<100 {
                let money = Money(minorUnits: .random(in: -10_000_000...10_000_000, using: &random), currency: currency)
                let text = MoneyFormat.plain.string(from: money).dropLast(4)
                #expect(try AmountParser(currency: currency, language: .english).parse(String(text)).money == money)
            }
        }
    }
}
