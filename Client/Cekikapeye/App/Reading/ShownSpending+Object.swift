internal import CekikapeyeModel
internal import CekikapeyeRules
internal import Objects
internal import RoostModel

extension ShownSpending {
    /// Copies an object's current values.
    ///
    /// - Throws: ``ObjectError`` with the code `unknown` if the relationship "person" has another name in the replica's schema.
    init(_ spending: Spending) throws {
        id = spending.objectID.record
        title = spending.content
        minorUnits = spending.amount
        currencyCode = spending.currency
        date = spending.date
        category = spending.category
        note = spending.note
        source = spending.source
        // The stored identifier is used, so that no object is read for a person who is not shown.
        person = try spending.objectID(of: "person")?.record
        expense = Result { () throws(SpendingFault) in try spending.expense() }
    }
}

extension Spending {
    /// Makes the expense with these values. Another program may have written invalid ones.
    fileprivate func expense() throws(SpendingFault) -> Expense {
        guard let kind = ExpenseKind(foreign: self.kind) else { throw .kind(self.kind) }
        let split: Split
        do { split = try Split(json: self.split) } catch { throw .split(error) }
        let seed: ExpenseID
        do { seed = try ExpenseID(bytes: objectID.record.bytes) } catch { throw .identifier(error) }
        let expense: Expense
        do {
            expense = try Expense(
                id: seed, title: content, minorUnits: amount, currencyCode: currency, date: date, split: split,
                kind: kind)
        } catch { throw .expense(error) }
        guard exponent == Int64(expense.amount.currency.exponent) else {
            throw .exponent(stored: exponent, expense.amount.currency)
        }
        return expense
    }
}
