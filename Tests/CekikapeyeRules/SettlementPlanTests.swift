import CekikapeyeRules
import RoostModel
import Testing

struct SettlementPlanTests {
    @Test func planSettlesEverybodyAndNeverProposesNothing() throws {
        var random = SplitMix64(state: 3)
        let currency = try Currency(code: "EUR")
        for round in 0..<300 {
            let balances = try Self.balances(count: 2 + round % 20, &random)
            let plan = try SettlementPlan(balances: balances, currency: currency)
            var left = balances
            for transfer in plan.transfers {
                left[transfer.from, default: 0] += transfer.amount.minorUnits
                left[transfer.to, default: 0] -= transfer.amount.minorUnits
            }
            let open = balances.values.count { $0 != 0 }
            #expect(left.values.allSatisfy { $0 == 0 }, "round \(round)")
            #expect(plan.transfers.allSatisfy { $0.amount.minorUnits > 0 && $0.from != $0.to }, "round \(round)")
            #expect(plan.transfers.count <= max(0, open - 1), "round \(round)")
            #expect(plan.isMinimal == (open <= 16), "round \(round)")
        }
    }

    @Test func smallPlansAreMinimal() throws {
        var random = SplitMix64(state: 4)
        for round in 0..<200 {
            let balances = try Self.balances(count: 2 + round % 7, &random)
            let plan = try SettlementPlan(balances: balances, currency: try Currency(code: "EUR"))
            let open = balances.values.filter { $0 != 0 }
            #expect(plan.transfers.count == open.count - Self.mostGroups(open), "round \(round)")
        }
    }

    @Test func derivedTextIsTheSameOnEveryDeviceAndDiffersPerTransfer() throws {
        let people = try Samples.people(3)
        let currency = try Currency(code: "EUR")
        let plan = try SettlementPlan(balances: [people[0]: 30, people[1]: -10, people[2]: -20], currency: currency)
        let again = try SettlementPlan(balances: [people[2]: -20, people[1]: -10, people[0]: 30], currency: currency)
        #expect(plan == again)
        #expect(Set(plan.transfers.map(\.derivedIDInput)).count == 2)
        #expect(
            plan.transfers[0].derivedIDInput == """
                cekikapeye settle 1 EUR
                \(people[0])=30
                \(people[1])=-10
                \(people[2])=-20
                \(people[1])>\(people[0])=10
                """)
    }

    @Test func balancesThatDoNotAddUpAreRefused() throws {
        let people = try Samples.people(2)
        #expect(throws: SettlementError.notZeroSum(currencyCode: "EUR", sum: "1")) {
            try SettlementPlan(balances: [people[0]: 3, people[1]: -2], currency: try Currency(code: "EUR"))
        }
    }

    @Test func extremeBalancesAreSettled() throws {
        let people = try Samples.people(3)
        let plan = try SettlementPlan(
            balances: [people[0]: .min, people[1]: .max, people[2]: 1], currency: try Currency(code: "EUR"))
        #expect(plan.transfers.map(\.amount.minorUnits) == [.max, 1])
    }

    @Test func settledCurrencyHasNoPlan() throws {
        let people = try Samples.people(2)
        let plans = try SettlementPlan.propose([
            "USD": [people[0]: 5, people[1]: -5], "EUR": [people[0]: 0], "CHF": [people[0]: -1, people[1]: 1],
        ])
        #expect(plans.map(\.currency.code) == ["CHF", "USD"])
    }

    private static func balances(count: Int, _ random: inout SplitMix64) throws -> [PersonID: Int64] {
        var balances: [PersonID: Int64] = [:]
        let people = try Samples.people(count)
        for person in people.dropLast() { balances[person] = .random(in: -6...6, using: &random) * 100 }
        balances[people[count - 1]] = -balances.values.reduce(0, +)
        return balances
    }

    /// The oracle: tries every way to divide the people into groups that add up to 0.
    private static func mostGroups(_ amounts: [Int64]) -> Int {
        guard let first = amounts.first else { return 0 }
        let others = Array(amounts.dropFirst())
        var best = 0
        for choice in 0..<(1 << others.count) {
            let group = others.indices.filter { choice & (1 << $0) != 0 }.map { others[$0] }
            guard first + group.reduce(0, +) == 0 else { continue }
            best = max(best, 1 + mostGroups(others.indices.filter { choice & (1 << $0) == 0 }.map { others[$0] }))
        }
        return best
    }
}
