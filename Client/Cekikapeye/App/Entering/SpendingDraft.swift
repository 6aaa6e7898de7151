internal import CekikapeyeModel
internal import CekikapeyeRules
internal import Objects
internal import RoostModel

/// The checked values of a spending, ready to be written.
struct SpendingDraft {
    var title: String
    var amount: Money
    var date: Day
    var kind: ExpenseKind
    var split: Split
    var category: String?
    var note: String?
    var source: String?

    /// Writes all but the person to an object.
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

    /// The expense that the values make.
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
    /// Makes a new spending.
    ///
    /// - Parameter person: Whom it is listed under.
    func insert(_ draft: SpendingDraft, id: RecordID, under person: Person, into objects: ObjectContext) throws {
        let spending = try objects.insert(Spending.self, id: id)
        draft.write(to: spending)
        spending.person = person
        spending.createdAt = surroundings.moment
    }
}
