package import CekikapeyeRules
internal import RoostModel

/// The amounts that people are owed or owe, per currency. Nothing is converted.
package struct BalanceSheet: Sendable {
    /// One person's balance.
    package struct Line: Hashable, Sendable {
        /// The person.
        package let person: PersonID
        /// The displayed name of the person.
        package let name: String
        /// The balance: positive if the person is owed.
        package let balance: Money
    }

    /// The balances of one currency.
    package struct Page: Hashable, Sendable {
        /// The currency.
        package let currency: Currency
        /// The lines in the order of names; people who are no longer shown come last.
        package let lines: [Line]
        /// The sum of the balances. A sum other than 0 is a fault to report.
        package let sum: Int128

        /// Whether the balances add up to 0, as required.
        package var isZeroSum: Bool { sum == 0 }
    }

    /// The pages, one for each currency, ordered by code. The group's own currency has one even if nothing was spent.
    package let pages: [Page]
    /// The spendings whose values do not form an expense. The balances do not include them.
    package let leftOut: [ShownSpending]
    /// The balances by currency code and person, in minor units, as the input of a settlement.
    package let balances: [String: [PersonID: Int64]]

    /// Computes the balances of a book.
    ///
    /// - Throws: ``BookError/money(_:)`` if a sum does not fit in 64 bits.
    package init(_ contents: BookContents) throws(BookError) {
        var expenses: [Expense] = []
        var leftOut: [ShownSpending] = []
        for spending in contents.spendings {
            switch spending.expense {
            case .success(let expense): expenses.append(expense)
            case .failure: leftOut.append(spending)
            }
        }
        self.leftOut = leftOut
        do {
            balances = try Balances.compute(expenses)
            let own = contents.group.currency
            var pages: [Page] = []
            if let own { pages.append(try Self.page(own, balances, contents)) }
            for code in balances.keys where code != own?.code {
                pages.append(try Self.page(Currency(code: code), balances, contents))
            }
            self.pages = pages.sorted { $0.currency < $1.currency }
        } catch { throw .money(error) }
    }

    private static func page(
        _ currency: Currency, _ balances: [String: [PersonID: Int64]], _ contents: BookContents
    ) throws(MoneyError) -> Page {
        var amounts = balances[currency.code] ?? [:]
        let sum = amounts.values.reduce(Int128(0)) { $0 + Int128($1) }
        var lines: [Line] = []
        for member in contents.members {
            let amount = amounts.removeValue(forKey: member.personID)
            // People with a balance of 0 are omitted if they are inactive, or if the currency is foreign and they have no
            // expense in it.
            let isConcerned = currency == contents.group.currency || amount != nil
            guard amount ?? 0 != 0 || member.isActive && isConcerned else { continue }
            lines.append(line(member.personID, contents.name(of: member.personID), amount ?? 0, currency))
        }
        for (person, amount) in amounts.sorted(by: { $0.key < $1.key }) {
            lines.append(line(person, contents.name(of: person), amount, currency))
        }
        return Page(currency: currency, lines: lines, sum: sum)
    }

    private static func line(_ person: PersonID, _ name: String, _ amount: Int64, _ currency: Currency) -> Line {
        Line(person: person, name: name, balance: Money(minorUnits: amount, currency: currency))
    }
}
