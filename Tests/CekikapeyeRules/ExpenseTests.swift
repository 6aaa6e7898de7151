import CekikapeyeRules
import Testing

struct ExpenseTests {
    @Test func effectsArePaidMinusConsumed() throws {
        let people = try Samples.people(2)
        let expense = try Self.expense(1000, .expense, people)
        #expect(expense.effects == [people[0]: 500, people[1]: -500])
    }

    @Test func incomeIsOwedByWhoReceivedIt() throws {
        let people = try Samples.people(2)
        #expect(try Self.expense(1000, .income, people).effects == [people[0]: -500, people[1]: 500])
    }

    @Test func refundIsAnExpenseBelowZero() throws {
        let people = try Samples.people(2)
        #expect(try Self.expense(-1000, .expense, people).effects == [people[0]: -500, people[1]: 500])
    }

    @Test(arguments: [ExpenseKind.transfer, .income])
    func otherKindsAreNotBelowZero(kind: ExpenseKind) throws {
        let people = try Samples.people(2)
        #expect(throws: ExpenseError.negativeAmount(kind, -1)) { try Self.expense(-1, kind, people) }
    }

    @Test func wrongPartsAreRefused() throws {
        let people = try Samples.people(2)
        let split = try Split.even(payers: [people[0]: 5], participants: people)
        let id = try Samples.expense(1)
        #expect(throws: ExpenseError.date(.noSuchDay("2026-02-30"))) {
            try Expense(id: id, title: "", minorUnits: 5, currencyCode: "EUR", date: "2026-02-30", split: split)
        }
        #expect(throws: ExpenseError.money(.unknownCurrency("EUX"))) {
            try Expense(id: id, title: "", minorUnits: 5, currencyCode: "EUX", date: "2026-02-03", split: split)
        }
        #expect(throws: ExpenseError.split(.payersSum(got: 5, expected: 6))) {
            try Expense(id: id, title: "", minorUnits: 6, currencyCode: "EUR", date: "2026-02-03", split: split)
        }
    }

    @Test func balancesStayApartByCurrency() throws {
        let people = try Samples.people(3)
        let expenses = [
            try Self.expense(1000, .expense, people), try Self.expense(500, .transfer, [people[1]], to: [people[0]]),
            try Self.expense(301, .expense, [people[2], people[0]], code: "JPY"),
        ]
        let balances = try Balances.compute(expenses)
        #expect(balances.keys.sorted() == ["EUR", "JPY"])
        for (_, people) in balances { #expect(people.values.reduce(0, +) == 0) }
        #expect(balances["JPY"]?[people[1]] == nil)
    }

    private static func expense(
        _ amount: Int64, _ kind: ExpenseKind, _ people: [PersonID], to others: [PersonID]? = nil, code: String = "EUR"
    ) throws -> Expense {
        let split = try Split.even(payers: [people[0]: amount], participants: others ?? people)
        return try Expense(
            id: Samples.expense(1), title: "Pizza", minorUnits: amount, currencyCode: code, date: "2026-07-14",
            split: split, kind: kind)
    }
}
