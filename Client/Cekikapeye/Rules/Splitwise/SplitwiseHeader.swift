/// The location of the header, and the people whom it names.
struct SplitwiseHeader {
    /// The number of columns before the people: date, description, category, cost and currency.
    static let leadingColumns = 5
    /// The number of records among which the header is searched. Only a note and blank lines precede it.
    private static let searchedRecords = 10
    /// The maximum length of a name, in bytes of UTF-8.
    static let nameBytesMax = 1000

    let line: Int
    let people: [ImportedPerson]
    /// The records after the header that are not blank.
    let rows: [CSVRecord]
    /// The names that occur in more than one column.
    let repeatedNames: [String]

    /// Finds the header by its labels, or as the row before one that has a date and a currency in the expected columns.
    init(_ records: [CSVRecord]) throws(SplitwiseFileError) {
        let filled = records.filter { !$0.isBlank }
        if let other = filled.prefix(Self.searchedRecords).first(where: Self.isSpliits) {
            throw .ofSpliit(line: other.line)
        }
        guard
            let index = filled.indices.prefix(Self.searchedRecords).first(where: { Self.isHeader(at: $0, in: filled) })
        else { throw .noHeader }
        let header = filled[index]
        line = header.line
        rows = Array(filled[(index + 1)...])

        var people: [ImportedPerson] = []
        var occurrences: [ExactText: Int] = [:]
        for (position, cell) in header.cells.enumerated().dropFirst(Self.leadingColumns) {
            let name = cell.trimmingBlanks()
            guard !name.isEmpty else { throw .unnamedPerson(line: header.line, column: position + 1) }
            guard name.utf8.count <= Self.nameBytesMax else {
                throw .longName(line: header.line, column: position + 1, limit: Self.nameBytesMax)
            }
            let occurrence = occurrences[ExactText(name), default: 0] + 1
            occurrences[ExactText(name)] = occurrence
            people.append(ImportedPerson(name: name, occurrence: occurrence))
        }
        self.people = people
        repeatedNames = occurrences.filter { $0.value > 1 }.keys.sorted().map(\.text)
    }

    private static func isHeader(at index: Int, in records: [CSVRecord]) -> Bool {
        let cells = records[index].cells
        guard cells.count > leadingColumns, !looksLikeRow(cells) else { return false }
        let known = zip(SplitwiseLabels.columns, cells).count { labels, cell in
            cell.lookedUp.map(labels.contains) ?? false
        }
        if known >= 3 { return true }
        return index + 1 < records.count && records[index + 1].cells.count == cells.count
            && looksLikeRow(records[index + 1].cells)
    }

    private static func isSpliits(_ record: CSVRecord) -> Bool {
        Set(record.cells.compactMap(\.lookedUp)).isSuperset(of: ["is reimbursement", "split mode"])
    }

    private static func looksLikeRow(_ cells: [String]) -> Bool {
        guard cells.count > leadingColumns else { return false }
        return (try? PlainDate(cells[0].trimmingBlanks())) != nil && (try? Currency(code: cells[4])) != nil
    }
}
