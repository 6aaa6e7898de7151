internal import CekikapeyeRules
internal import RoostModel

/// The spendings that a query selects, in sections.
package struct SpendingList: Sendable {
    /// The roster with which the spendings are displayed.
    package let roster: Roster
    /// The sections: people in the order of names, or days with the newest first. No section is empty.
    package let sections: [SpendingSection]
}

extension SpendingSection {
    /// Makes a section from spendings in the order of their days.
    ///
    /// - Throws: ``BookError/money(_:)`` if a total does not fit in 64 bits.
    init(title: String, _ spendings: [ShownSpending], _ order: SpendingQuery.Order) throws(BookError) {
        self.title = title
        self.spendings = order == .date ? spendings : Self.largestFirst(spendings)
        totals = try Self.totals(spendings)
    }

    /// Sorts by amount with four decimals, the most that any currency has, and with negative incomes. No stored
    /// property has this order, so a fetch cannot sort by it.
    private static func largestFirst(_ spendings: [ShownSpending]) -> [ShownSpending] {
        let sized = spendings.enumerated().map { (size: size($1), place: $0, spending: $1) }
        return sized.sorted { ($1.size, $0.place) < ($0.size, $1.place) }.map(\.spending)
    }

    private static func size(_ spending: ShownSpending) -> Int128 {
        var size = Int128(spending.outlay)
        for _ in (spending.amount?.currency.exponent ?? 4)..<4 { size *= 10 }
        return size
    }

    private static func totals(_ spendings: [ShownSpending]) throws(BookError) -> [Money] {
        var totals: [Currency: Money] = [:]
        for spending in spendings {
            // Money given from person to person is not a spending.
            guard let kind = spending.kind, kind != .transfer, let currency = spending.amount?.currency else {
                continue
            }
            let before = totals[currency] ?? Money(minorUnits: 0, currency: currency)
            do { totals[currency] = try before.adding(Money(minorUnits: spending.outlay, currency: currency)) } catch {
                throw .money(error)
            }
        }
        return totals.values.sorted { $0.currency < $1.currency }
    }
}
