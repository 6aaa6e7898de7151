package import CekikapeyeRules
package import RoostModel

/// A row to be imported that resembles a spending entered by hand. Both count in the balances of the group.
package struct ImportLookalike: Hashable, Sendable {
    /// The line of the file, from 1.
    package let line: Int
    /// The title of the spending in the group.
    package let title: String
    /// The identifier of the spending in the group.
    package let id: RecordID

    /// Describes the resemblance in one line.
    package func text(in language: Language) -> String {
        let name = String(id.description.suffix(12))
        return language.pick(
            "Line \(line) looks like \"\(title)\" (\(name)), which was entered here: both count. If they are the same, run: "
                + "cekikapeye delete \(name)",
            fr: "La ligne \(line) ressemble à « \(title) » (\(name)), saisi ici : les deux comptent. Si c'est la même "
                + "dépense, lancez : cekikapeye delete \(name)")
    }
}

extension ImportLookalike {
    /// Finds new rows whose day, amount and currency equal those of a spending entered by hand. Titles are not
    /// compared, since users type them differently.
    static func find(
        _ expenses: [ImportedExpense], new: Set<RecordID>, ids: [RecordID], _ contents: BookContents
    ) -> [ImportLookalike] {
        struct Key: Hashable {
            let date: String
            /// The amount; `nil` if the currency is unknown. No row has `nil`.
            let amount: Money?
        }
        let known = Set(ids)
        var entered = Dictionary(
            grouping: contents.spendings.filter { !$0.isImported && !known.contains($0.id) },
            by: { Key(date: $0.date, amount: $0.amount) })
        return zip(expenses, ids).compactMap { expense, id in
            guard new.contains(id) else { return nil }
            let key = Key(date: expense.date.description, amount: expense.amount)
            guard let spending = entered[key]?.first else { return nil }
            entered[key]?.removeFirst()
            return ImportLookalike(line: expense.line, title: spending.title, id: spending.id)
        }
    }
}
