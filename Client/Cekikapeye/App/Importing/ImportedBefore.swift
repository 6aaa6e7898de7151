internal import CekikapeyeRules
internal import RoostModel

/// The rows of a file that an earlier import wrote, with the spendings they became: they tell which person each column is, whatever the
/// person is called by now.
struct ImportedBefore {
    private let pairs: [(row: ImportedExpense, effects: [PersonID: Int64])]

    /// - Parameter ids: The identifier of the spending of each row.
    init(_ rows: [ImportedExpense], _ ids: [RecordID], _ contents: BookContents) {
        let effects = Dictionary(
            contents.spendings.compactMap { spending in
                (try? spending.expense.get()).map { (spending.id, $0.effects) }
            }, uniquingKeysWith: { first, _ in first })
        pairs = zip(rows, ids).compactMap { row, id in effects[id].map { (row, $0) } }
    }

    /// The only one of some people whose part in the spendings is that of the column; `nil` where none or several fit.
    ///
    /// A spending that was edited since tells nothing, so the person that fits the most rows is taken. A wrong choice would make the proof
    /// fail, and nothing would be imported.
    func person(ofColumn column: Int, among people: [(id: RecordID, person: PersonID)]) -> RecordID? {
        var best: (id: RecordID, count: Int)?
        var isOnly = false
        for (id, person) in people {
            let count = pairs.count { $0.row.effects[column] != 0 && $0.effects[person] == $0.row.effects[column] }
            guard count > 0, count >= best?.count ?? 0 else { continue }
            isOnly = count > best?.count ?? 0
            best = (id, count)
        }
        return isOnly ? best?.id : nil
    }
}
