import CekikapeyeRules
import Foundation
import Testing

/// Exports collected beside the project; they are not part of it, so these tests are skipped where they are absent.
@Suite(
    .enabled(if: CollectedFiles.arePresent, "needs the sample exports in ../shared/data, which are not in the project"))
struct CollectedFilesTests {
    @Test func tenYearLedgerEndsAtZeroInEveryCurrency() throws {
        let plan = try SplitwiseImporter.plan(for: CollectedFiles.bytes("splitwise/friend-2p-mkd-2016-2026.csv"))
        #expect(plan.problems == [])
        #expect(plan.expenses.count == 673)
        #expect(plan.balances == ["MKD": [0, 0], "EUR": [0, 0], "USD": [0, 0]])
        #expect(plan.totals.count == 3 && plan.totals.allSatisfy(\.agrees))
        #expect(Set(plan.expenses.map(\.sourceKey)).count == 673)

        let people = try Samples.people(2)
        let expenses = try plan.expenses.enumerated().map { number, imported in
            try imported.expense(id: Samples.expense(number), people: people)
        }
        let balances = try Balances.compute(expenses)
        #expect(balances.keys.sorted() == ["EUR", "MKD", "USD"])
        #expect(balances.values.allSatisfy { $0.values.allSatisfy { $0 == 0 } })
        #expect(try SettlementPlan.propose(balances).isEmpty)
    }

    @Test func groupExportAgreesWithItsTotal() throws {
        let plan = try SplitwiseImporter.plan(for: CollectedFiles.bytes("splitwise/group-2p-mkd-20rows.csv"))
        #expect(plan.problems == [])
        #expect(plan.expenses.count == 20)
        #expect(plan.balances == ["MKD": [149_850, -149_850]])
        #expect(plan.totals.map(\.agrees) == [true])
    }

    @Test func edgeCasesAreToldApart() throws {
        let plan = try SplitwiseImporter.plan(for: CollectedFiles.bytes("splitwise/edge-cases-en.csv"))
        #expect(plan.problems.map(\.line) == [10])
        #expect(plan.expenses.count == 9)
        #expect(plan.expenses.filter { $0.kind == .transfer }.map(\.line) == [7, 8, 11])
        #expect(
            plan.notes.map(\.kind) == [
                .noTotal(currencyCode: "EUR"), .severalPayers, .unknownPayer, .noEffect, .noEffect,
            ])
    }
}
