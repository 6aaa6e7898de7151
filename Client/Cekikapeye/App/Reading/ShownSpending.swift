package import CekikapeyeRules
package import RoostModel

/// A spending as the replica shows it, and the expense that its values make.
package struct ShownSpending: Sendable {
    /// The record.
    package let id: RecordID
    /// What it was for.
    package internal(set) var title: String
    /// The amount in minor units, as stored.
    package let minorUnits: Int64
    /// The code of the currency, as stored.
    package let currencyCode: String
    /// `YYYY-MM-DD`, as stored.
    package let date: String
    /// The category, where one was given.
    package let category: String?
    /// A note, where one was given.
    package let note: String?
    /// Where it was imported from, for those imported.
    package let source: String?
    /// The person it is listed under: the first who paid.
    package let person: RecordID?
    /// The checked expense, or why there is none.
    package let expense: Result<Expense, SpendingFault>

    /// The amount; `nil` where the currency is unknown.
    package var amount: Money? {
        (try? Currency(code: currencyCode)).map { Money(minorUnits: minorUnits, currency: $0) }
    }

    /// The source of a payment that "settle" recorded, whose title names its people.
    static let settled = "settle"

    /// Whether "settle" recorded it.
    var isSettled: Bool { source.isSameText(as: Self.settled) }

    /// Whether it was imported from a file.
    var isImported: Bool { source.isSameText(as: ImportPreview.source) }

    /// This with the names that its people have now, where its title is made of names.
    func titled(by roster: Roster) -> ShownSpending {
        guard isSettled, let expense = try? expense.get(), let from = expense.paid.keys.first,
            let to = expense.consumed.keys.first, expense.paid.count == 1, expense.consumed.count == 1
        else { return self }
        var spending = self
        spending.title = "\(roster.name(of: from)) → \(roster.name(of: to))"
        return spending
    }

    /// Why the values make no expense, with amounts and names; `nil` where they make one.
    package func faultText(_ roster: Roster) -> String? {
        guard case .failure(let fault) = expense else { return nil }
        let currency = amount?.currency
        return fault.description(
            amount: { units in
                currency.map { MoneyFormat.plain.string(from: Money(minorUnits: units, currency: $0)) } ?? String(units)
            }, person: roster.name(of:))
    }

    /// Expense, transfer or income; `nil` where the values make none.
    package var kind: ExpenseKind? { try? expense.get().kind }

    /// What the person it is listed under laid out: an income counts the other way.
    package var outlay: Int64 { kind == .income ? -minorUnits : minorUnits }
}
