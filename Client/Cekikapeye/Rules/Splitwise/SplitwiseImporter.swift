/// Parses the CSV that Splitwise writes for a group or a friend ("Export as spreadsheet").
///
/// Columns are found by position and by labels in English, French or German. The decimal mark is determined from
/// all rows of the file.
package struct SplitwiseImporter {
    /// The maximum number of rows of a file, including header and blank lines.
    package static let rowsMax = 100_000
    /// The maximum size of a file, in bytes.
    package static let fileBytesMax = 32 * 1024 * 1024
    /// The maximum length of a cell, in bytes.
    package static let cellBytesMax = 64 * 1024

    private let header: SplitwiseHeader
    private let numbers: SplitwiseNumbers
    private var expenses: [ImportedExpense] = []
    private var totalRows: [CSVRecord] = []
    private var problems: [RowProblem] = []
    private var notes: [ImportNote] = []
    /// The line of the first row with a given content and the number of such rows, by that content.
    private var seen: [[ExactText]: (line: Int, count: Int)] = [:]

    /// Parses an entire file.
    ///
    /// The result is deterministic: equal bytes give an equal plan with equal source keys, on every device and at any time.
    ///
    /// - Throws: ``SplitwiseFileError`` if the file as a whole cannot be read. Single rows at fault become problems.
    package static func plan(for bytes: [UInt8]) throws(SplitwiseFileError) -> ImportPlan {
        guard bytes.count <= fileBytesMax else { throw .tooLarge(bytes: bytes.count, limit: fileBytesMax) }
        guard !bytes.starts(with: "SQLite format 3\0".utf8) else { throw .isGroupFile }
        guard !isJSON(bytes) else { throw .isJSON }
        var importer = SplitwiseImporter(header: try SplitwiseHeader(try CSVReader.records(of: bytes)))
        let plan = importer.readRows()
        guard !plan.expenses.isEmpty || !plan.problems.isEmpty else { throw .noRows }
        return plan
    }

    /// Returns whether the file is JSON: no header of Splitwise begins with a brace or a bracket.
    private static func isJSON(_ bytes: [UInt8]) -> Bool {
        let blanks = Set(" \t\r\n\u{FEFF}".utf8)
        guard let first = bytes.first(where: { !blanks.contains($0) }) else { return false }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// Parses an entire file given as text.
    package static func plan(for text: String) throws(SplitwiseFileError) -> ImportPlan {
        try plan(for: Array(text.utf8))
    }

    private init(header: SplitwiseHeader) {
        self.header = header
        numbers = SplitwiseNumbers(rows: header.rows)
    }

    private mutating func readRows() -> ImportPlan {
        for name in header.repeatedNames { note(.repeatedName(name), header.line) }
        if numbers.isGuess { note(.marksGuessed, header.line) }
        let lastTitle = header.rows.last?.cells.dropFirst().first
        for record in header.rows {
            if Self.isTotal(record, lastTitle: lastTitle) {
                totalRows.append(record)
                continue
            }
            do { try read(record) } catch { problems.append(RowProblem(line: record.line, error)) }
        }
        let totals = checkTotals()
        return ImportPlan(
            people: header.people, expenses: expenses, totals: totals,
            problems: problems.sorted { $0.line < $1.line }, notes: notes.sorted { $0.line < $1.line })
    }

    /// Returns whether a record is a total. A total has neither category nor cost, and its title is either a known
    /// one or the title of the last row.
    private static func isTotal(_ record: CSVRecord, lastTitle: String?) -> Bool {
        guard record.cells.count >= 4, record.cells[2].isBlank, record.cells[3].isBlank else { return false }
        let title = record.cells[1]
        return title.lookedUp.map(SplitwiseLabels.totals.contains) ?? false
            || (!title.isBlank && lastTitle.map { ExactText($0) == ExactText(title) } ?? false)
    }

    private mutating func read(_ record: CSVRecord) throws(SplitwiseRowFault) {
        let row = try SplitwiseRow(record, people: header.people.count, numbers: numbers)
        let built = try SplitwiseReconstruction(cost: row.cost, effects: row.effects)
        guard !row.isPayment || row.cost.minorUnits >= 0 else { throw .negativePayment }

        let content = row.content(names: header.people)
        let key = content.map { ExactText($0) }
        let (firstLine, count) = seen[key] ?? (row.line, 0)
        seen[key] = (firstLine, count + 1)
        if count > 0 { note(.equalRow(line: firstLine), row.line) }
        switch built.loss {
        case .nothing: break
        case .noEffect: note(.noEffect, row.line)
        case .unknownPayer: note(.unknownPayer, row.line)
        case .severalPayers: note(.severalPayers, row.line)
        }
        expenses.append(
            ImportedExpense(
                line: row.line, sourceKey: SourceKey.text("splitwise", content + [String(count + 1)]), date: row.date,
                title: row.title, category: row.category, amount: row.cost,
                kind: row.isPayment ? .transfer : .expense, mode: built.mode, payers: built.payers,
                shares: built.shares, effects: row.effects))
    }

    private mutating func note(_ kind: ImportNote.Kind, _ line: Int) {
        notes.append(ImportNote(line: line, kind: kind))
    }
}

extension SplitwiseImporter {
    private mutating func checkTotals() -> [TotalsCheck] {
        let balances = ImportPlan.balances(of: expenses, peopleCount: header.people.count)
        var checks: [TotalsCheck] = []
        for record in totalRows {
            do { checks.append(try check(record, against: balances)) } catch {
                problems.append(RowProblem(line: record.line, error))
            }
        }
        for check in checks where !check.agrees {
            let names = zip(header.people, zip(check.stated, check.computed)).filter { $0.1.0 != $0.1.1 }.map(\.0.name)
            problems.append(RowProblem(line: check.line, .totalsDiffer(names: names, check.currency)))
        }
        let checked = Set(checks.map(\.currency.code))
        for code in balances.keys.sorted() where !checked.contains(code) {
            note(.noTotal(currencyCode: code), header.line)
        }
        return checks
    }

    private func check(
        _ record: CSVRecord, against balances: [String: [Int64]]
    ) throws(SplitwiseRowFault) -> TotalsCheck {
        let cells = try SplitwiseRow.cells(of: record, people: header.people.count)
        let currency = try SplitwiseRow.currency(cells[4])
        let stated = try SplitwiseRow.effects(cells, currency: currency, numbers: numbers)
        let computed = balances[currency.code] ?? [Int64](repeating: 0, count: stated.count)
        return TotalsCheck(line: record.line, currency: currency, stated: stated, computed: computed)
    }
}
