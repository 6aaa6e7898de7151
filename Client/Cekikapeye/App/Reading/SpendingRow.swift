internal import CekikapeyeRules
internal import RoostModel

/// Reads a spending off a row of the replica.
enum SpendingRow {
    static let columns =
        "id, content, amount, currency, exponent, date, kind, split, category, note, source, person"

    /// - Returns: `nil` for a row without a record's identifier.
    static func spending(_ row: [Value]) -> Spending? {
        guard row.count == 12, let id = row[0].recordID else { return nil }
        return Spending(
            id: id, title: row[1].text ?? "", minorUnits: row[2].integer ?? 0, currencyCode: row[3].text ?? "",
            date: row[5].text ?? "", category: row[8].text, note: row[9].text, source: row[10].text,
            person: row[11].recordID, expense: Result { () throws(SpendingFault) in try expense(row, id) })
    }

    private static func expense(_ row: [Value], _ id: RecordID) throws(SpendingFault) -> Expense {
        let kindName = row[6].text ?? ""
        guard let kind = ExpenseKind(rawValue: kindName) else { throw .kind(kindName) }
        let split: Split
        do { split = try Split(json: row[7].text ?? "") } catch { throw .split(error) }
        let seed: ExpenseID
        do { seed = try ExpenseID(bytes: id.bytes) } catch { throw .identifier(error) }
        let expense: Expense
        do {
            expense = try Expense(
                id: seed, title: row[1].text ?? "", minorUnits: row[2].integer ?? 0, currencyCode: row[3].text ?? "",
                date: row[5].text ?? "", split: split, kind: kind)
        } catch { throw .expense(error) }
        let stored = row[4].integer ?? -1
        guard stored == Int64(expense.amount.currency.exponent) else {
            throw .exponent(stored: stored, expense.amount.currency)
        }
        return expense
    }
}

extension Value {
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    var recordID: RecordID? { if case .bytes(let bytes) = self { RecordID(bytes: bytes) } else { nil } }
}
