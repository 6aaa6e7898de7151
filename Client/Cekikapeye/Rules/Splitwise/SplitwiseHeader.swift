/// Where the header stands and whom it names.
struct SplitwiseHeader {
    /// Date, description, category, cost and currency come before the people.
    static let leadingColumns = 5
    /// Only a note and blank lines precede the header.
    private static let searchedRecords = 10
    /// The longest name, in bytes of UTF-8.
    static let nameBytesMax = 1000

    let line: Int
    let people: [ImportedPerson]
    /// The records after the header that are not blank.
    let rows: [CSVRecord]
    /// Names that stand in more than one column.
    let repeatedNames: [String]

    /// Finds the header by its labels, or by its place before a row that has a date and a currency where they belong.
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
