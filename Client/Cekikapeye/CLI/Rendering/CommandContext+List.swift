internal import CekikapeyeApp
internal import CekikapeyeRules
internal import RoostModel

extension CommandContext {
    /// Prints spendings, one on each line: day, amount, title, end of the identifier.
    func showSpendings(_ spendings: [ShownSpending], _ roster: Roster) {
        let length = roster.shortIDLength
        let amounts = spendings.map { amountText($0) }
        let amountWidth = Column.width(amounts)
        let titles = spendings.map { Column.name(title($0)) }
        let titleWidth = Column.width(titles)
        for ((spending, amount), title) in zip(zip(spendings, amounts), titles) {
            let id = String(spending.id.description.suffix(length))
            screen.line(
                """
                  \(spending.date)  \(Column.right(amount, amountWidth))  \(Column.left(title, titleWidth))  \(dim: id)
                """)
        }
    }

    func totalsText(_ totals: [Money]) -> String { totals.map { screen.text($0) }.joined(separator: " + ") }

    private func amountText(_ spending: ShownSpending) -> String {
        guard let currency = spending.amount?.currency else {
            return "\(spending.minorUnits) ? \(spending.currencyCode)"
        }
        return screen.text(Money(minorUnits: spending.outlay, currency: currency))
    }

    private func title(_ spending: ShownSpending) -> String {
        if case .failure = spending.expense { return "! \(spending.title)" }
        return spending.title
    }
}
