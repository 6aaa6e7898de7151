package import CekikapeyeRules
internal import RoostModel

/// What each person is owed or owes, per currency; nothing is converted.
package struct BalanceSheet: Sendable {
    /// One person's balance.
    package struct Line: Hashable, Sendable {
        /// The person.
        package let person: PersonID
        /// What to call the person.
        package let name: String
        /// Positive: is owed.
        package let balance: Money
    }

    /// One currency's balances.
    package struct Page: Hashable, Sendable {
        /// The currency.
        package let currency: Currency
        /// By name; people who are not shown any more come last.
        package let lines: [Line]
        /// What the balances add up to; anything but 0 is a fault to report.
        package let sum: Int128

        /// Whether the balances add up to 0, as they must.
        package var isZeroSum: Bool { sum == 0 }
    }

    /// One page per currency, by code; the group's own currency has one even when nothing was spent.
    package let pages: [Page]
    /// The spendings whose values make no expense: not in the balances.
    package let leftOut: [ShownSpending]
    /// By currency code and person, in minor units, as settling takes them.
    package let balances: [String: [PersonID: Int64]]

    /// Adds up a book.
    ///
    /// - Throws: ``BookError/money(_:)`` where a sum leaves 64 bits.
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
            // Of no interest: who has left and is even, and who has nothing to do with a foreign currency.
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
