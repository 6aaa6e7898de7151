/// One entry of a group's book, checked: both sides add up to the amount.
package struct Expense: Hashable, Sendable {
    /// Settles who gets an odd cent.
    package let id: ExpenseID
    /// What it was for.
    package let title: String
    /// The amount in minor units and its currency.
    package let amount: Money
    /// The day it was made.
    package let date: PlainDate
    /// Who paid and for whom.
    package let split: Split
    /// Expense, transfer or income.
    package let kind: ExpenseKind
    /// What each person paid (received, for an income), in minor units; adds up to the amount.
    package let paid: [PersonID: Int64]
    /// What each person consumed (is entitled to, for an income), in minor units; adds up to the amount.
    package let consumed: [PersonID: Int64]

    /// Makes an expense of checked parts.
    ///
    /// - Throws: ``ExpenseError`` when the amount is beyond the limit or the split does not fit it.
    package init(
        id: ExpenseID, title: String, amount: Money, date: PlainDate, split: Split, kind: ExpenseKind = .expense
    ) throws(ExpenseError) {
        do { _ = try Money(entered: amount.minorUnits, currency: amount.currency) } catch { throw .money(error) }
        guard kind == .expense || amount.minorUnits >= 0 else { throw .negativeAmount(kind, amount.minorUnits) }
        do {
            self.paid = try split.paid(of: amount.minorUnits, seed: id)
            self.consumed = try split.consumed(of: amount.minorUnits, seed: id)
        } catch { throw .split(error) }
        self.id = id
        self.title = title
        self.amount = amount
        self.date = date
        self.split = split
        self.kind = kind
    }

    /// Makes an expense of the values a record holds.
    ///
    /// - Throws: ``ExpenseError`` for an unknown currency, a wrong day, or a split that does not fit.
    package init(
        id: ExpenseID, title: String, minorUnits: Int64, currencyCode: String, date: String, split: Split,
        kind: ExpenseKind = .expense
    ) throws(ExpenseError) {
        let amount: Money
        let day: PlainDate
        do { amount = Money(minorUnits: minorUnits, currency: try Currency(code: currencyCode)) } catch {
            throw .money(error)
        }
        do { day = try PlainDate(date) } catch { throw .date(error) }
        try self.init(id: id, title: title, amount: amount, date: day, split: split, kind: kind)
    }

    /// What this expense does to each person's balance, in minor units; 0 together. Positive: is owed.
    package var effects: [PersonID: Int64] {
        let net = paid.merging(consumed.mapValues { -$0 }, uniquingKeysWith: +)
        // Who receives money for others owes it to them: the mirror image of paying.
        return kind == .income ? net.mapValues { -$0 } : net
    }
}
