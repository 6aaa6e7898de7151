/// The payments that bring every balance of one currency to 0.
package struct SettlementPlan: Hashable, Sendable {
    /// The currency. Currencies are never added together.
    package let currency: Currency
    /// The payments, ordered by payer, then receiver.
    package let transfers: [ProposedTransfer]
    /// Whether no plan has fewer payments. Above ``exactPeopleMax`` people the plan is only a good one.
    package let isMinimal: Bool

    /// The largest number of people with a balance for which the minimum is searched: the search takes 2^n steps.
    package static let exactPeopleMax = 16

    /// Computes the fewest payments, identically on every device.
    ///
    /// - Parameter balances: The balance of each person in minor units; all add up to 0. A positive one means that
    ///   the person is owed.
    /// - Throws: ``SettlementError/notZeroSum(currencyCode:sum:)``.
    package init(balances: [PersonID: Int64], currency: Currency) throws(SettlementError) {
        let sum = balances.values.reduce(Int128(0)) { $0 + Int128($1) }
        guard sum == 0 else { throw .notZeroSum(currencyCode: currency.code, sum: String(sum)) }
        let open = balances.filter { $0.value != 0 }.map { OpenBalance(person: $0.key, amount: $0.value) }
            .sorted { $0.person < $1.person }
        let payments =
            open.count <= Self.exactPeopleMax
            ? ZeroSumGroups.find(in: open).flatMap { Pairing.inOrder($0) } : Pairing.largestFirst(open)
        let inputs = Self.inputText(open, currency: currency)
        self.currency = currency
        self.isMinimal = open.count <= Self.exactPeopleMax
        self.transfers = payments.sorted { ($0.from, $0.to) < ($1.from, $1.to) }.map { payment in
            ProposedTransfer(
                from: payment.from, to: payment.to, amount: Money(minorUnits: payment.amount, currency: currency),
                derivedIDInput: "\(inputs)\n\(payment.from)>\(payment.to)=\(payment.amount)")
        }
    }

    /// Proposes a plan for each currency that is not settled, ordered by code.
    ///
    /// - Parameter balances: The result of ``Balances/compute(_:)``.
    package static func propose(_ balances: [String: [PersonID: Int64]]) throws(SettlementError) -> [SettlementPlan] {
        var plans: [SettlementPlan] = []
        for (code, people) in balances.sorted(by: { $0.key < $1.key }) {
            let currency: Currency
            do { currency = try Currency(code: code) } catch { throw .money(error) }
            let plan = try SettlementPlan(balances: people, currency: currency)
            if !plan.transfers.isEmpty { plans.append(plan) }
        }
        return plans
    }

    private static func inputText(_ open: [OpenBalance], currency: Currency) -> String {
        let lines = open.map { "\($0.person)=\($0.amount)" }
        return (["cekikapeye settle 1 \(currency.code)"] + lines).joined(separator: "\n")
    }
}
