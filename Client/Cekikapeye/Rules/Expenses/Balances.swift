/// Computes what each person is owed or owes.
package enum Balances {
    /// Adds up all expenses per currency; nothing is converted.
    ///
    /// - Returns: The balances by currency code, then person: paid minus consumed, in minor units. A positive balance means
    ///   that the person is owed. People who are even have 0. The balances of a currency add up to 0.
    /// - Throws: ``MoneyError/overflow(currencyCode:)``, which takes millions of expenses of the largest amount.
    package static func compute(_ expenses: [Expense]) throws(MoneyError) -> [String: [PersonID: Int64]] {
        var balances: [String: [PersonID: Int64]] = [:]
        for expense in expenses {
            let effects = expense.effects
            precondition(effects.values.reduce(0, +) == 0, "both sides of an expense add up to its amount")
            for (person, effect) in effects {
                let code = expense.amount.currency.code
                let before = balances[code]?[person] ?? 0
                let (after, overflow) = before.addingReportingOverflow(effect)
                guard !overflow else { throw .overflow(currencyCode: code) }
                balances[code, default: [:]][person] = after
            }
        }
        return balances
    }
}
