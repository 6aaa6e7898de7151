import CekikapeyeApp
import CekikapeyeRules
import Replica
import RoostModel
import Testing

struct MalformedSpendingTests {
    private static let id = RecordID(derivedFrom: ["malformed"])

    private func sample(_ change: [String: Value]) throws -> TemporaryBook {
        let sample = try TemporaryBook()
        let entered = try sample.add("30")
        let values: [String: Value] = [
            "content": .string("strange"), "amount": .integer(500), "currency": .string("EUR"), "exponent": .integer(2),
            "date": .string("2026-07-14"), "kind": .string("expense"), "split": .string(entered.expense.split.json),
            "person": .data(try sample.book.contents().member(named: "Ana").id.bytes),
        ]
        try sample.book.replica.write("another program") {
            try $0.put("Spending", id: Self.id, values.merging(change) { $1 })
        }
        return sample
    }

    @Test(arguments: [
        ["split": Value.string("{}")], ["split": .string("[1]")], ["kind": .string("gift")],
        ["currency": .string("???")],
        ["exponent": .integer(3)], ["amount": .integer(.max)], [:],
    ])
    func isListedAndLeftOutOfBalances(_ change: [String: Value]) throws {
        let sample = try sample(change)
        let contents = try sample.book.contents()
        let sheet = try BalanceSheet(contents)
        #expect(contents.spendings.count == 2)
        #expect(sheet.leftOut.map(\.title) == ["strange"])
        #expect(sheet.pages.map(\.isZeroSum) == [true])
        #expect(try sample.balances() == ["Ana": 2000, "Bob": -1000, "Chloé": -1000])
        #expect(try sample.book.list(SpendingQuery()).sections.flatMap(\.spendings).count == 2)
    }

    @Test func cannotBeEditedInPartButDeleted() throws {
        let sample = try sample(["split": .string("{}")])
        var request = EditRequest()
        request.title = "better"
        #expect(throws: BookError.self) { try sample.book.edit(Self.id.description, request) }
        #expect(try sample.book.deleteSpending(Self.id.description).title == "strange")
    }
}
