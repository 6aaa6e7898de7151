/// A checked expense of a group: both sides add up to the amount.
package struct Expense: Hashable, Sendable {
    /// The identifier, which determines who gets an odd cent.
    package let id: ExpenseID
    /// The purpose.
    package let title: String
    /// The amount in minor units and its currency.
    package let amount: Money
    /// The day on which it was made.
    package let date: PlainDate
    /// The payers and the participants, with their numbers.
    package let split: Split
    /// The kind: expense, transfer or income.
    package let kind: ExpenseKind
    /// The amount that each person paid (received, for an income), in minor units; adds up to the amount.
    package let paid: [PersonID: Int64]
    /// The amount that each person consumed (is entitled to, for an income), in minor units; adds up to the amount.
    package let consumed: [PersonID: Int64]

    /// Makes an expense from checked parts.
    ///
    /// - Throws: ``ExpenseError`` if the amount is beyond the limit or the split does not fit it.
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

    /// Makes an expense from the values of a record.
    ///
    /// - Throws: ``ExpenseError`` for an unknown currency, an invalid day, or a split that does not fit.
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

    /// The effect of this expense on each person's balance, in minor units; all effects add up to 0. A positive
    /// effect means that the person is owed.
    package var effects: [PersonID: Int64] {
        let net = paid.merging(consumed.mapValues { -$0 }, uniquingKeysWith: +)
        // A person who receives money for others owes it to them: the reverse of paying.
        return kind == .income ? net.mapValues { -$0 } : net
    }
}
