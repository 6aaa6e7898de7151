internal import CekikapeyeRules
internal import RoostModel

/// Compares a file with the imported spendings that a group would have after its import, including those of earlier imports.
struct ImportComparison {
    private let plan: ImportPlan
    /// The balances of the spendings by currency code and person, in minor units.
    private let made: [String: [PersonID: Int64]]
    /// The reasons why both may differ.
    let differences: [ImportDifference]

    /// Compares the file with the group.
    ///
    /// - Parameters:
    ///   - all: The rows of the file as spendings.
    ///   - new: The spendings in `all` that the group does not have.
    init(_ plan: ImportPlan, _ contents: BookContents, all: [ImportPreview.Entry], new: [ImportPreview.Entry]) throws {
        self.plan = plan
        let ofFile = Set(all.map(\.id))
        let newIDs = Set(new.map(\.id))
        let shown = contents.spendings.filter { ofFile.contains($0.id) || $0.isImported }
        var expenses = shown.compactMap { try? $0.expense.get() }
        var differences: [ImportDifference] = []
        let byID = Dictionary(shown.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for entry in all {
            let expense = try entry.draft.expense(id: entry.id)
            guard !newIDs.contains(entry.id) else {
                expenses.append(expense)
                continue
            }
            guard let there = byID[entry.id] else {
                differences.append(.init(kind: .hidden, title: entry.draft.title, id: entry.id))
                continue
            }
            let isSame = (try? there.expense.get()).map { $0.amount == expense.amount && $0.effects == expense.effects }
            if isSame != true { differences.append(.init(kind: .edited, title: there.title, id: entry.id)) }
        }
        for spending in shown where !ofFile.contains(spending.id) {
            differences.append(.init(kind: .notInFile, title: spending.title, id: spending.id))
        }
        self.differences = differences
        made = try Balances.compute(expenses)
    }

    /// Makes a proof for each currency of the file or of the imported spendings, ordered by code.
    ///
    /// - Parameter people: The people of the file, in the order of its header.
    func proofs(_ mappings: [ImportPreview.Mapping], _ people: [PersonID]) throws -> [BalanceProof] {
        let rows = plan.balances
        let stated = Dictionary(
            plan.totals.map { ($0.currency.code, $0.stated) }, uniquingKeysWith: { first, _ in first })
        let codes = Set(rows.keys).union(stated.keys).union(made.filter { $0.value.values.contains { $0 != 0 } }.keys)
        return try codes.sorted().map { code in
            let currency = try Currency(code: code)
            func money(_ units: Int64) -> Money { Money(minorUnits: units, currency: currency) }
            let lines = people.indices.map { column in
                BalanceProof.Line(
                    name: mappings[column].nameInFile, inFile: money((stated[code] ?? rows[code])?[column] ?? 0),
                    inRows: money(rows[code]?[column] ?? 0), imported: money(made[code]?[people[column]] ?? 0))
            }
            let isOthers = made[code]?.contains { !people.contains($0.key) && $0.value != 0 }
            return BalanceProof(
                currency: currency, lines: lines, hasOthers: isOthers ?? false, isStated: stated[code] != nil,
                skippedRows: plan.problems.count)
        }
    }
}
