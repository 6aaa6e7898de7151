/// Pairs debtors with creditors. The number of payments is less than the number of people.
enum Pairing {
    /// Pairs people in the given order. In the order of identifiers, making one proposed payment leaves most other
    /// proposals unchanged.
    static func inOrder(_ balances: [OpenBalance]) -> [Payment] {
        var debtors = balances.filter { $0.amount < 0 }[...]
        var creditors = balances.filter { $0.amount > 0 }[...]
        var payments: [Payment] = []
        while var debtor = debtors.popFirst(), var creditor = creditors.popFirst() {
            let amount = min(creditor.amount, Int64(clamping: debtor.amount.magnitude))
            payments.append(Payment(from: debtor.person, to: creditor.person, amount: amount))
            debtor.amount += amount
            creditor.amount -= amount
            if debtor.amount != 0 { debtors = [debtor] + debtors }
            if creditor.amount != 0 { creditors = [creditor] + creditors }
        }
        return payments
    }

    /// Pairs the largest debt with the largest claim until none is left; equal ones in the order of identifiers.
    static func largestFirst(_ balances: [OpenBalance]) -> [Payment] {
        var open = balances
        var payments: [Payment] = []
        while let debtor = open.indices.min(by: { owesMore(open[$0], open[$1]) }),
            let creditor = open.indices.min(by: { isOwedMore(open[$0], open[$1]) }),
            open[debtor].amount < 0, open[creditor].amount > 0
        {
            let amount = min(open[creditor].amount, Int64(clamping: open[debtor].amount.magnitude))
            payments.append(Payment(from: open[debtor].person, to: open[creditor].person, amount: amount))
            open[debtor].amount += amount
            open[creditor].amount -= amount
            open.removeAll { $0.amount == 0 }
        }
        return payments
    }

    private static func owesMore(_ left: OpenBalance, _ right: OpenBalance) -> Bool {
        (left.amount, left.person) < (right.amount, right.person)
    }

    private static func isOwedMore(_ left: OpenBalance, _ right: OpenBalance) -> Bool {
        (right.amount, left.person) < (left.amount, right.person)
    }
}
