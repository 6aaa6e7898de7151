internal import CekikapeyeApp
internal import CekikapeyeRules
internal import RoostModel

extension CommandContext {
    /// The maximum number of people that one sentence names.
    private static let namesMax = 12

    /// Returns the sentence about an expense, such as `Ana paid 42,50 € for Ana, Bob, Chloé (14,17 · 14,17 · 14,16)`.
    func sentence(_ expense: Expense, _ roster: Roster) -> String {
        let payers = people(expense.paid, roster)
        let amount = screen.text(expense.amount)
        let consumers = people(expense.consumed, roster)
        let names = list(consumers.map(\.name))
        let parts = consumers.prefix(Self.namesMax).map { digits($0.amount, expense) }.joined(separator: " · ")
        var who = list(payers.map(\.name))
        if payers.count > 1 { who += " (\(payers.map { digits($0.amount, expense) }.joined(separator: " + ")))" }
        let isOne = payers.count == 1
        let head =
            switch expense.kind {
            case .expense:
                text(
                    "\(who) paid \(amount) for \(names)",
                    fr: "\(who) \(isOne ? "a" : "ont") payé \(amount) pour \(names)")
            case .transfer:
                text(
                    "\(who) gave \(amount) to \(names)",
                    fr: "\(who) \(isOne ? "a" : "ont") donné \(amount) à \(names)")
            case .income:
                text(
                    "\(who) received \(amount) for \(names)",
                    fr: "\(who) \(isOne ? "a" : "ont") reçu \(amount) pour \(names)")
            }
        return consumers.count == 1 ? head : "\(head) (\(parts))"
    }

    /// Prints the interpretation of an amount, if it is not obvious.
    func showReading(_ reading: ParsedAmount?) {
        guard let reading, reading.needsEcho else { return }
        let amount = screen.text(reading.money)
        screen.line(Line(text("Read as \(amount).", fr: "Compris : \(amount)."), .dim))
        for guess in reading.guesses {
            let english = guess.role == .decimals ? "marks decimals" : "separates thousands"
            let french = guess.role == .decimals ? "marque les décimales" : "sépare les milliers"
            screen.line(
                Line(text("In \(guess.text) the mark \(english).", fr: "Dans \(guess.text), le signe \(french)."), .dim)
            )
        }
    }

    /// Prints how to undo the change.
    func showUndo() {
        screen.line(Line(text("Undo: cekikapeye undo", fr: "Annuler : cekikapeye undo"), .dim))
    }

    /// Prints which spendings are hidden, and which are not in the balances.
    func showConcerns(_ roster: Roster, leftOut: [ShownSpending]) {
        let causes = Dictionary(grouping: roster.hidden) { ExactText($0.because ?? "?") }
        for (name, hidden) in causes.sorted(by: { $0.key < $1.key }).map({ ($0.text, $1) }) {
            let count = hidden.count
            screen.line(
                Line(
                    text(
                        "\(count) \(count == 1 ? "spending" : "spendings") hidden: \(Column.name(name)) was deleted. "
                            + "Bring back: cekikapeye undelete \(ShellWord.last(name))",
                        fr:
                            "\(count) \(count == 1 ? "dépense masquée" : "dépenses masquées") : \(Column.name(name)) a été supprimé. "
                            + "Rétablir : cekikapeye undelete \(ShellWord.last(name))"), .bad))
        }
        showNamesakes(roster)
        if roster.group.currency == nil {
            screen.line(
                Line(
                    text(
                        "The group's currency \"\(Column.name(roster.group.currencyCode))\" is unknown. Set it: cekikapeye currency EUR",
                        fr:
                            "La monnaie du groupe, « \(Column.name(roster.group.currencyCode)) », est inconnue. Réglez-la : cekikapeye currency EUR"
                    ), .bad))
        }
        for spending in leftOut {
            guard let fault = spending.faultText(roster) else { continue }
            let id = shortID(spending.id, roster)
            let title = Column.name(spending.title)
            screen.line(
                Line(
                    text(
                        "Warning: \(id) \"\(title)\" is not in the balances. \(fault)",
                        fr: "Attention : \(id) « \(title) » n'est pas dans les soldes. \(fault)"), .bad))
        }
    }

    /// Prints which people cannot be distinguished by name, and how to rename them. Two devices may have added one
    /// person while offline.
    func showNamesakes(_ roster: Roster) {
        for members in roster.namesakes {
            let names = members.prefix(Self.namesMax).map { "\(Column.name($0.name)) (\($0.shortID))" }.joined(
                separator: ", ")
            guard let first = members.first else { continue }
            screen.line(
                Line(
                    text(
                        "Several people have one name: \(names). Type what stands in brackets instead of the name, or rename one: "
                            + "cekikapeye person rename \(first.shortID) NAME",
                        fr:
                            "Plusieurs personnes ont le même nom : \(names). Tapez ce qui est entre parenthèses à la place du nom, "
                            + "ou renommez : cekikapeye person rename \(first.shortID) NOM"), .bad))
        }
    }

    func shortID(_ id: RecordID, _ roster: Roster) -> String {
        String(id.description.suffix(roster.shortIDLength))
    }

    /// Lists people in the order of the book, then people who are no longer shown. People with an amount of 0 are omitted.
    private func people(_ amounts: [PersonID: Int64], _ roster: Roster) -> [(name: String, amount: Int64)] {
        let known = roster.members.map(\.personID)
        let order = known.filter { amounts[$0] != nil } + amounts.keys.filter { !known.contains($0) }.sorted()
        let touched = order.filter { amounts[$0] != 0 }
        return (touched.isEmpty ? order : touched).map { (Column.name(roster.name(of: $0)), amounts[$0] ?? 0) }
    }

    private func digits(_ amount: Int64, _ expense: Expense) -> String {
        screen.digits(Money(minorUnits: amount, currency: expense.amount.currency))
    }

    func list(_ names: [String]) -> String {
        guard names.count > Self.namesMax else { return names.joined(separator: ", ") }
        let more = names.count - Self.namesMax
        return names.prefix(Self.namesMax).joined(separator: ", ") + text(" and \(more) more", fr: " et \(more) autres")
    }
}
