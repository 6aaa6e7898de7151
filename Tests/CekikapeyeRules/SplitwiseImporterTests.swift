import CekikapeyeRules
import Testing

struct SplitwiseImporterTests {
    private static let header = "Date,Description,Category,Cost,Currency,Ana,Bob,Zoé\n\n"

    private static func plan(_ rows: String) throws -> ImportPlan {
        try SplitwiseImporter.plan(for: header + rows + "\n")
    }

    @Test func onePayerIsReconstructed() throws {
        let plan = try Self.plan("2026-07-14,Pizza,General,30.00,EUR,20.00,-10.00,-10.00")
        let expense = try #require(plan.expenses.first)
        #expect(plan.people.map(\.name) == ["Ana", "Bob", "Zoé"])
        #expect((expense.mode, expense.payers, expense.shares) == (.even, [0: 3000], [0: 1, 1: 1, 2: 1]))
        #expect((expense.line, expense.title, expense.category, expense.kind) == (3, "Pizza", "General", .expense))
        #expect(plan.problems.isEmpty)
    }

    @Test func unevenCentsAreKept() throws {
        let expense = try #require(try Self.plan("2026-07-14,Taxi,Taxi,10.00,EUR,6.66,-3.33,-3.33").expenses.first)
        #expect((expense.mode, expense.payers, expense.shares) == (.exact, [0: 1000], [0: 334, 1: 333, 2: 333]))
    }

    @Test func someoneElsePaidForOneAlone() throws {
        let expense = try #require(try Self.plan("2026-07-14,Book,Other,12.00,EUR,-12.00,12.00,0.00").expenses.first)
        #expect((expense.mode, expense.payers, expense.shares) == (.even, [1: 1200], [0: 1]))
    }

    @Test(arguments: ["Payment", "payment", "Paiement", "Zahlung"])
    func paymentIsATransfer(category: String) throws {
        let plan = try Self.plan("2026-07-14,Ana paid,\(category),15.00,EUR,15.00,-10.00,-5.00")
        let expense = try #require(plan.expenses.first)
        #expect((expense.kind, expense.payers, expense.shares) == (.transfer, [0: 1500], [1: 1000, 2: 500]))
    }

    @Test func severalPayersKeepTheirEffects() throws {
        let plan = try Self.plan("2026-07-14,Hotel,Hotel,30.01,EUR,5.00,5.00,-10.00")
        let people = try Samples.people(3)
        let expense = try #require(plan.expenses.first).expense(id: Samples.expense(1), people: people)
        #expect(expense.effects == [people[0]: 500, people[1]: 500, people[2]: -1000])
        #expect(expense.consumed.values.reduce(0, +) == 3001)
        #expect(plan.notes.map(\.kind).contains(.severalPayers))
    }

    @Test func refundIsReconstructed() throws {
        let expense = try #require(
            try Self.plan("2026-07-14,Back,General,-30.00,EUR,-20.00,10.00,10.00").expenses.first)
        #expect((expense.mode, expense.payers) == (.even, [0: -3000]))
    }

    @Test func rowsWithoutEffectAreKeptAndNoted() throws {
        let plan = try Self.plan(
            "2026-07-14,Own,General,9.00,EUR,0.00,0.00,0.00\n2026-07-14,None,General,0.00,EUR,0.00,0.00,0.00")
        #expect(plan.expenses.count == 2)
        #expect(plan.notes.filter { $0.line > 1 }.map(\.kind) == [.unknownPayer, .noEffect])
        let people = try Samples.people(3)
        let own = try plan.expenses[0].expense(id: Samples.expense(1), people: people)
        #expect(own.effects.values.allSatisfy { $0 == 0 })
    }

    @Test(arguments: [
        ("2026-07-14,A,General,30.00,EUR,20.00,-10.00,-9.99", "add up to 0.01 EUR"),
        ("2026-07-14,A,General,0.00,EUR,10.00,-10.00,0.00", "cost is 0.00 EUR, but people owe 10.00 EUR"),
        ("2026-07-14,A,General,5.00,EUR,10.00,-10.00,0.00", "cost is 5.00 EUR"),
        ("14/07/2026,A,General,1.00,EUR,1.00,-1.00,0.00", "date is \"14/07/2026\""),
        ("2026-02-30,A,General,1.00,EUR,1.00,-1.00,0.00", "date is"),
        ("2026-07-14,A,General,1.00,EUX,1.00,-1.00,0.00", "currency is \"EUX\""),
        ("2026-07-14,A,General,one,EUR,1.00,-1.00,0.00", "amount is \"one\""),
        ("2026-07-14,A,General,1.00,EUR,1.00,-1.00,", "amount is \"\""),
        ("2026-07-14,A,General,1.00,EUR,1.00,-1.00", "7 columns, expected 8"),
        ("2026-07-14,A,General,1.005,EUR,1.00,-1.00,0.00", "at most 2 decimals"),
        ("2026-07-14,A,General,1.50,JPY,1.50,-1.50,0.00", "at most 0 decimals"),
        ("2026-07-14,A,General,99999999999999,EUR,1.00,-1.00,0.00", "at most 10000000000.00 EUR"),
        ("2026-07-14,A,Payment,-1.00,EUR,-1.00,1.00,0.00", "payment has a cost below 0"),
    ])
    func wrongRowIsAProblemWithItsLine(row: String, reason: String) throws {
        let plan = try Self.plan("2026-07-13,Good,General,2.00,EUR,1.00,-1.00,0.00\n\n" + row)
        #expect(plan.expenses.count == 1)
        #expect(plan.problems.map(\.line) == [5])
        #expect(plan.problems.first?.reason.contains(reason) == true)
        #expect(plan.problems.first?.advice.isEmpty == false)
    }

    @Test func totalsAreChecked() throws {
        let row = "2026-07-14,Pizza,General,30.00,EUR,20.00,-10.00,-10.00\n\n"
        let right = try Self.plan(row + "2026-07-31,Total balance, , ,EUR,20.00,-10.00,-10.00")
        #expect(right.problems.isEmpty && right.totals.map(\.agrees) == [true])
        let wrong = try Self.plan(row + "2026-07-31,Total balance, , ,EUR,21.00,-11.00,-10.00")
        #expect(wrong.totals.map(\.agrees) == [false])
        #expect(wrong.problems.map(\.line) == [5])
        #expect(wrong.problems.first?.reason.contains("Ana, Bob") == true)
        let other = try Self.plan(row + "2026-07-31,Saldo totale, , ,EUR,20.00,-10.00,-10.00")
        #expect(other.problems.isEmpty && other.totals.count == 1)
    }
}
