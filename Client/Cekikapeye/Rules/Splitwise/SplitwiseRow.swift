/// A row of the file after reading its cells.
struct SplitwiseRow {
    let line: Int
    let date: PlainDate
    let title: String
    let category: String
    let cost: Money
    /// Net effect per person in header order, minor units: paid minus owed. Adds up to 0.
    let effects: [Int64]

    /// Reads the cells and checks what a row by itself can show.
    init(_ record: CSVRecord, people: Int, numbers: SplitwiseNumbers) throws(SplitwiseRowFault) {
        let cells = try Self.cells(of: record, people: people)
        line = record.line
        do { date = try PlainDate(cells[0].trimmingBlanks()) } catch { throw .badDate(cells[0]) }
        title = cells[1].trimmingBlanks()
        category = cells[2].trimmingBlanks()
        let currency = try Self.currency(cells[4])
        cost = Money(minorUnits: try numbers.minorUnits(cells[3], currency: currency), currency: currency)
        effects = try Self.effects(cells, currency: currency, numbers: numbers)
        var sum: Int64 = 0
        for effect in effects {
            let (next, overflow) = sum.addingReportingOverflow(effect)
            guard !overflow else { throw .tooLarge(cells[3], currency) }
            sum = next
        }
        guard sum == 0 else { throw .notZeroSum(sum, currency) }
    }

    /// The cells, if there are as many as the header has.
    static func cells(of record: CSVRecord, people: Int) throws(SplitwiseRowFault) -> [String] {
        let expected = SplitwiseHeader.leadingColumns + people
        guard record.cells.count == expected else { throw .wrongColumns(got: record.cells.count, expected: expected) }
        return record.cells
    }

    static func currency(_ cell: String) throws(SplitwiseRowFault) -> Currency {
        do { return try Currency(code: cell) } catch { throw .badCurrency(cell) }
    }

    /// The numbers after the leading columns, in minor units.
    static func effects(
        _ cells: [String], currency: Currency, numbers: SplitwiseNumbers
    ) throws(SplitwiseRowFault) -> [Int64] {
        var effects: [Int64] = []
        for cell in cells[SplitwiseHeader.leadingColumns...] {
            effects.append(try numbers.minorUnits(cell, currency: currency))
        }
        return effects
    }

    /// Whether money was handed over rather than spent.
    var isPayment: Bool { category.lookedUp.map(SplitwiseLabels.payments.contains) ?? false }

    /// What identifies the row whatever the quoting, the language of the account or the columns of later members.
    func content(names: [ImportedPerson]) -> [String] {
        let touched = zip(names, effects).filter { $0.1 != 0 }.sorted { $0.0.name < $1.0.name }
        return [
            date.description, title, isPayment ? "payment" : "expense", String(cost.minorUnits), cost.currency.code,
        ] + touched.flatMap { [$0.0.name, String($0.1)] }
    }
}
