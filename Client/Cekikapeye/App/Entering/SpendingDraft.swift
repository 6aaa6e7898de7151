internal import CekikapeyeModel
internal import CekikapeyeRules
internal import Objects
internal import RoostModel

/// The checked values of a spending, before they are written.
struct SpendingDraft {
    var title: String
    var amount: Money
    var date: Day
    var kind: ExpenseKind
    var split: Split
    var category: String?
    var note: String?
    var source: String?

    /// Writes all values to an object, except for the person.
    func write(to spending: Spending) {
        spending.content = title
        spending.amount = amount.minorUnits
        spending.currency = amount.currency.code
        spending.exponent = Int64(amount.currency.exponent)
        spending.date = date.description
        spending.kind = kind.rawValue
        spending.split = split.json
        spending.category = category
        spending.note = note
        spending.source = source
    }

    /// Makes the expense with these values.
    func expense(id: RecordID) throws(BookError) -> Expense {
        do {
            return try Expense(
                id: try ExpenseID(bytes: id.bytes), title: title, amount: amount, date: date, split: split, kind: kind)
        } catch let error as ExpenseError {
            throw .expense(error)
        } catch {
            throw .unknownRecord(id.description)
        }
    }
}

extension ExpenseBook {
    /// Inserts a new spending.
    ///
    /// - Parameter person: The person under whom it is listed.
    func insert(_ draft: SpendingDraft, id: RecordID, under person: Person, into objects: ObjectContext) throws {
        let spending = try objects.insert(Spending.self, id: id)
        draft.write(to: spending)
        spending.person = person
        spending.createdAt = surroundings.moment
    }
}
