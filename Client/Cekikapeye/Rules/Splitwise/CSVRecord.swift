/// One record of a CSV file.
struct CSVRecord: Hashable {
    /// The line of the file the record begins on, from 1.
    let line: Int
    /// The cells, unquoted.
    let cells: [String]

    /// Whether it is an empty line, or one of commas and spaces only.
    var isBlank: Bool { cells.allSatisfy(\.isBlank) }
}
