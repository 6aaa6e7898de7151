import CekikapeyeRules
import Testing

struct MoneyTests {
    @Test func sumsAreExact() throws {
        let euro = try Currency(code: "EUR")
        let sum = try Money(minorUnits: 10, currency: euro).adding(Money(minorUnits: 20, currency: euro))
        #expect(sum == Money(minorUnits: 30, currency: euro))
    }

    @Test func overflowIsAnError() throws {
        let euro = try Currency(code: "EUR")
        let most = Money(minorUnits: .max, currency: euro)
        let least = Money(minorUnits: .min, currency: euro)
        let one = Money(minorUnits: 1, currency: euro)
        #expect(throws: MoneyError.overflow(currencyCode: "EUR")) { try most.adding(one) }
        #expect(throws: MoneyError.overflow(currencyCode: "EUR")) { try least.subtracting(one) }
        #expect(throws: MoneyError.overflow(currencyCode: "EUR")) { try least.negated() }
    }

    @Test func currenciesAreNotMixed() throws {
        let euro = try Currency(code: "EUR")
        let yen = try Currency(code: "JPY")
        #expect(throws: MoneyError.currenciesDiffer(euro, yen)) {
            try Money(minorUnits: 1, currency: euro).adding(Money(minorUnits: 1, currency: yen))
        }
    }

    @Test func entryHasALimitEitherWay() throws {
        let euro = try Currency(code: "EUR")
        #expect(try Money(entered: -Money.entryLimit, currency: euro).minorUnits == -1_000_000_000_000)
        #expect(throws: MoneyError.beyondEntryLimit(Money.entryLimit + 1, euro)) {
            try Money(entered: Money.entryLimit + 1, currency: euro)
        }
        #expect(throws: MoneyError.beyondEntryLimit(.min, euro)) { try Money(entered: .min, currency: euro) }
    }
}
