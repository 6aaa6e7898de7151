internal import CekikapeyeRules
internal import RoostModel

/// Spendings in sections, as a query asks for them.
package struct SpendingList: Sendable {
    /// What the spendings are shown with.
    package let roster: Roster
    /// The sections: people by name, or days with the newest first; none is empty.
    package let sections: [SpendingSection]
}

extension SpendingSection {
    /// Makes a section of spendings in the order of their days.
    ///
    /// - Throws: ``BookError/money(_:)`` where a total leaves 64 bits.
    init(title: String, _ spendings: [ShownSpending], _ order: SpendingQuery.Order) throws(BookError) {
        self.title = title
        self.spendings = order == .date ? spendings : Self.largestFirst(spendings)
        totals = try Self.totals(spendings)
    }

    /// Compared with four decimals, the most any currency has, and incomes counted the other way: no property is ordered so.
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
            // Money handed over between people is nobody's spending.
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
