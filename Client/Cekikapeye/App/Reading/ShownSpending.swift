package import CekikapeyeRules
package import RoostModel

/// A spending as stored in the replica, and the expense that its values form.
package struct ShownSpending: Sendable {
    /// The record's identifier.
    package let id: RecordID
    /// The purpose of the spending.
    package internal(set) var title: String
    /// The amount in minor units, as stored.
    package let minorUnits: Int64
    /// The code of the currency, as stored.
    package let currencyCode: String
    /// The day as stored: `YYYY-MM-DD`.
    package let date: String
    /// The category, if there is one.
    package let category: String?
    /// The note, if there is one.
    package let note: String?
    /// The source, such as an import or "settle"; `nil` for spendings entered by hand.
    package let source: String?
    /// The person under whom it is listed: the first payer.
    package let person: RecordID?
    /// The checked expense, or the reason why there is none.
    package let expense: Result<Expense, SpendingFault>

    /// The amount; `nil` if the currency is unknown.
    package var amount: Money? {
        (try? Currency(code: currencyCode)).map { Money(minorUnits: minorUnits, currency: $0) }
    }

    /// The source of a payment that "settle" has recorded. The title of such a payment consists of people's names.
    static let settled = "settle"

    /// Whether "settle" has recorded the spending.
    var isSettled: Bool { source.isSameText(as: Self.settled) }

    /// Whether the spending was imported from a file.
    var isImported: Bool { source.isSameText(as: ImportPreview.source) }

    /// Returns this spending with the current names of its people, if its title consists of names.
    func titled(by roster: Roster) -> ShownSpending {
        guard isSettled, let expense = try? expense.get(), let from = expense.paid.keys.first,
            let to = expense.consumed.keys.first, expense.paid.count == 1, expense.consumed.count == 1
        else { return self }
        var spending = self
        spending.title = "\(roster.name(of: from)) → \(roster.name(of: to))"
        return spending
    }

    /// Describes why the values do not form an expense, with names and formatted amounts; `nil` if they form one.
    package func faultText(_ roster: Roster) -> String? {
        guard case .failure(let fault) = expense else { return nil }
        let currency = amount?.currency
        return fault.description(
            amount: { units in
                currency.map { MoneyFormat.plain.string(from: Money(minorUnits: units, currency: $0)) } ?? String(units)
            }, person: roster.name(of:))
    }

    /// The kind: expense, transfer or income; `nil` if the values do not form an expense.
    package var kind: ExpenseKind? { try? expense.get().kind }

    /// The amount that the person under whom it is listed has spent. An income is negative.
    package var outlay: Int64 { kind == .income ? -minorUnits : minorUnits }
}
