import CekikapeyeApp
import CekikapeyeRules
import Replica
import RoostModel
import Testing

/// The group's own currency, which another program may have changed to an invalid one.
struct GroupCurrencyTests {
    private func damaged() throws -> TemporaryBook {
        let sample = try TemporaryBook()
        try sample.add("30")
        try sample.book.replica.write("another program") {
            try $0.put("GroupSettings", id: GroupInfo.recordID, ["currency": .string("zz")])
        }
        return sample
    }

    @Test func anUnknownOneHidesNothing() throws {
        let sample = try damaged()
        let contents = try sample.book.contents()
        #expect(contents.group.currency == nil && contents.group.currencyCode == "zz")
        #expect(contents.spendings.count == 1)
        #expect(try sample.balances() == ["Ana": 2000, "Bob": -1000, "Chloé": -1000])
        #expect(try sample.book.addPeople(["Dora"]).count == 1)
    }

    @Test func anAmountNeedsOne() throws {
        let sample = try damaged()
        #expect(throws: BookError.groupCurrency("zz")) { try sample.add("5") }
        #expect(try sample.add("5") { $0.currency = "EUR" }.expense.amount.minorUnits == 500)
    }

    @Test func itIsSetAgainAndUndone() throws {
        let sample = try damaged()
        #expect(try sample.book.setCurrency(try Currency(code: "JPY")))
        #expect(try sample.add("5").expense.amount == Money(minorUnits: 5, currency: try Currency(code: "JPY")))
        #expect(try !sample.book.setCurrency(try Currency(code: "JPY")))
        for _ in 1...2 { _ = try sample.book.undo() }
        #expect(try sample.book.contents().group.currencyCode == "zz")
    }
}
