/// One record of a CSV file.
struct CSVRecord: Hashable {
    /// The line of the file on which the record begins, from 1.
    let line: Int
    /// The cells, unquoted.
    let cells: [String]

    /// Whether the record is an empty line, or one of separators and spaces only.
    var isBlank: Bool { cells.allSatisfy(\.isBlank) }
}
