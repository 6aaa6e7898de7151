internal import CekikapeyeApp
internal import CekikapeyeRules

extension CommandContext {
    private func total(_ page: BalanceSheet.Page) -> String {
        Int64(exactly: page.sum).map { screen.text(Money(minorUnits: $0, currency: page.currency)) } ?? "\(page.sum)"
    }

    /// Prints the balances, one block per currency.
    func showBalances(_ sheet: BalanceSheet) {
        for page in sheet.pages {
            let names = page.lines.map { Column.name($0.name) }
            let nameWidth = Column.width(names)
            let amounts = page.lines.map { screen.signed($0.balance) }
            let amountWidth = Column.width(amounts)
            for ((line, name), amount) in zip(zip(page.lines, names), amounts) {
                let style: Line.Style =
                    line.balance.minorUnits > 0 ? .good : line.balance.minorUnits < 0 ? .bad : .plain
                screen.line("  \(Column.left(name, nameWidth))  \(Column.right(amount, amountWidth), style)")
            }
            guard !page.isZeroSum else { continue }
            screen.warn(
                text(
                    "FAULT: the balances in \(page.currency) add up to \(total(page)), expected 0. Do not settle "
                        + "by them; report this with \"cekikapeye export\".",
                    fr:
                        "ERREUR : les soldes en \(page.currency) donnent \(total(page)) au lieu de 0. Ne les utilisez pas ; "
                        + "signalez-le avec « cekikapeye export »."))
        }
    }
}
