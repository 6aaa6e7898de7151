internal import CekikapeyeRules
internal import RoostModel

/// The rows of a file that an earlier import wrote, with the spendings that they became. They identify the person
/// of each column even if the person was renamed.
struct ImportedBefore {
    private let pairs: [(row: ImportedExpense, effects: [PersonID: Int64])]

    /// Matches rows with spendings.
    ///
    /// - Parameter ids: The identifier of the spending of each row.
    init(_ rows: [ImportedExpense], _ ids: [RecordID], _ contents: BookContents) {
        let effects = Dictionary(
            contents.spendings.compactMap { spending in
                (try? spending.expense.get()).map { (spending.id, $0.effects) }
            }, uniquingKeysWith: { first, _ in first })
        pairs = zip(rows, ids).compactMap { row, id in effects[id].map { (row, $0) } }
    }

    /// Finds the person whose effects in the spendings are those of the column; `nil` if no person or several people match.
    ///
    /// A spending that was edited since its import may not match, so the person who matches the most rows is chosen.
    /// A wrong choice would make the proof fail, so that nothing is imported.
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
