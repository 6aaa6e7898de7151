/// A row of the file with its cells parsed.
struct SplitwiseRow {
    let line: Int
    let date: PlainDate
    let title: String
    let category: String
    let cost: Money
    /// The net effect of each person in the order of the header, in minor units: paid minus owed. The effects add up to 0.
    let effects: [Int64]

    /// Parses the cells, and makes the checks that need no other row.
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

    /// Returns the cells.
    ///
    /// - Throws: ``SplitwiseRowFault/wrongColumns(got:expected:)`` if their number differs from that of the header.
    static func cells(of record: CSVRecord, people: Int) throws(SplitwiseRowFault) -> [String] {
        let expected = SplitwiseHeader.leadingColumns + people
        guard record.cells.count == expected else { throw .wrongColumns(got: record.cells.count, expected: expected) }
        return record.cells
    }

    static func currency(_ cell: String) throws(SplitwiseRowFault) -> Currency {
        do { return try Currency(code: cell) } catch { throw .badCurrency(cell) }
    }

    /// Parses the numbers after the leading columns, in minor units.
    static func effects(
        _ cells: [String], currency: Currency, numbers: SplitwiseNumbers
    ) throws(SplitwiseRowFault) -> [Int64] {
        var effects: [Int64] = []
        for cell in cells[SplitwiseHeader.leadingColumns...] {
            effects.append(try numbers.minorUnits(cell, currency: currency))
        }
        return effects
    }

    /// Whether the row is a payment from person to person, not a spending.
    var isPayment: Bool { category.lookedUp.map(SplitwiseLabels.payments.contains) ?? false }

    /// Returns the content that identifies the row. It does not depend on the quoting, the language of the account or
    /// the columns of later members.
    func content(names: [ImportedPerson]) -> [String] {
        let touched = zip(names, effects).filter { $0.1 != 0 }.sorted { $0.0.name < $1.0.name }
        return [
            date.description, title, isPayment ? "payment" : "expense", String(cost.minorUnits), cost.currency.code,
        ] + touched.flatMap { [$0.0.name, String($0.1)] }
    }
}
