internal import CekikapeyeRules
internal import Replica
internal import RoostModel

/// The checked values of a spending, ready to be written.
struct SpendingDraft {
    var title: String
    var amount: Money
    var date: Day
    var kind: ExpenseKind
    var split: Split
    var person: RecordID?
    var category: String?
    var note: String?
    var source: String?

    /// The values as the record holds them.
    var values: [String: Value] {
        [
            "content": .text(title), "amount": .integer(amount.minorUnits), "currency": .text(amount.currency.code),
            "exponent": .integer(Int64(amount.currency.exponent)), "date": .text(date.description),
            "kind": .text(kind.rawValue), "split": .text(split.json),
            "person": person.map { .bytes($0.bytes) } ?? .null, "category": category.map { .text($0) } ?? .null,
            "note": note.map { .text($0) } ?? .null, "source": source.map { .text($0) } ?? .null,
        ]
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
    /// Writes a new spending.
    func put(_ draft: SpendingDraft, id: RecordID, in transaction: LocalTransaction) throws {
        var values = draft.values
        values["createdAt"] = .integer(surroundings.milliseconds)
        try transaction.put(EntityName.spending, id: id, values)
    }
}
