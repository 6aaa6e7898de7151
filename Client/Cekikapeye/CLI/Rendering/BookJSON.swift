internal import CekikapeyeApp
internal import CekikapeyeRules
internal import RoostModel

/// The JSON forms of a book's contents.
enum BookJSON {
    static func money(_ money: Money) -> JSONValue {
        .members(
            ("minorUnits", .integer(money.minorUnits)), ("currency", .string(money.currency.code)),
            ("text", .string(MoneyFormat.plain.string(from: money))))
    }

    static func member(_ member: Member) -> JSONValue {
        .members(
            ("id", .string(member.id.description)), ("name", .string(member.name)),
            ("active", .boolean(member.isActive)))
    }

    static func group(_ group: GroupInfo) -> JSONValue {
        .members(("name", .string(group.name)), ("currency", .string(group.currencyCode)))
    }

    static func spending(_ spending: ShownSpending, _ roster: Roster) -> JSONValue {
        let expense = try? spending.expense.get()
        let fault = spending.faultText(roster)
        return .members(
            ("id", .string(spending.id.description)), ("title", .string(spending.title)),
            ("minorUnits", .integer(spending.minorUnits)), ("currency", .string(spending.currencyCode)),
            ("date", .string(spending.date)), ("kind", expense.map { .string($0.kind.rawValue) }),
            ("category", spending.category.map { .string($0) }), ("note", spending.note.map { .string($0) }),
            ("source", spending.source.map { .string($0) }),
            ("listedUnder", spending.person.map { reference($0.description, roster.name(of: $0)) }),
            ("mode", expense.map { .string($0.split.mode.rawValue) }),
            ("paid", expense.map { parts($0.paid, roster) }),
            ("consumed", expense.map { parts($0.consumed, roster) }),
            ("fault", fault.map { .string($0) }))
    }

    static func entered(_ entered: EnteredSpending) -> JSONValue {
        let spending = entered.contents.spendings.first { $0.id == entered.id }
        return spending.map { self.spending($0, entered.contents.roster) } ?? .null
    }

    static func sheet(_ sheet: BalanceSheet, _ roster: Roster) -> JSONValue {
        let pages = sheet.pages.map { page in
            JSONValue.members(
                ("currency", .string(page.currency.code)), ("zeroSum", .boolean(page.isZeroSum)),
                ("sum", .string(String(page.sum))),
                (
                    "people",
                    .array(
                        page.lines.map { line in
                            .members(
                                ("id", .string(line.person.text)), ("name", .string(line.name)),
                                ("minorUnits", .integer(line.balance.minorUnits)),
                                ("text", .string(MoneyFormat.plain.string(from: line.balance))))
                        })
                ))
        }
        return .members(
            ("group", group(roster.group)), ("balances", .array(pages)),
            ("leftOut", .array(sheet.leftOut.map { spending($0, roster) })), ("hidden", hidden(roster)))
    }

    static func list(_ list: SpendingList) -> JSONValue {
        let sections = list.sections.map { section in
            JSONValue.members(
                ("title", .string(section.title)), ("totals", .array(section.totals.map { money($0) })),
                ("spendings", .array(section.spendings.map { spending($0, list.roster) })))
        }
        return .members(
            ("group", group(list.roster.group)), ("sections", .array(sections)), ("hidden", hidden(list.roster)))
    }

    static func hidden(_ roster: Roster) -> JSONValue {
        .array(
            roster.hidden.map { hidden in
                .members(
                    ("id", .string(hidden.id.description)), ("title", .string(hidden.title)),
                    ("because", hidden.because.map { .string($0) }))
            })
    }

    static func transfer(_ transfer: ProposedTransfer, number: Int, _ roster: Roster) -> JSONValue {
        .members(
            ("number", .integer(number)), ("from", reference(transfer.from.text, roster.name(of: transfer.from))),
            ("to", reference(transfer.to.text, roster.name(of: transfer.to))), ("amount", money(transfer.amount)))
    }

    private static func reference(_ id: String, _ name: String) -> JSONValue {
        .members(("id", .string(id)), ("name", .string(name)))
    }

    private static func parts(_ amounts: [PersonID: Int64], _ roster: Roster) -> JSONValue {
        .array(
            amounts.sorted { $0.key < $1.key }.map { person, amount in
                .members(
                    ("id", .string(person.text)), ("name", .string(roster.name(of: person))),
                    ("minorUnits", .integer(amount)))
            })
    }
}
