/// The reason why a file cannot be read as a Splitwise export.
package enum SplitwiseFileError: Error, Hashable, Sendable {
    /// The file is larger than the limit, in bytes.
    case tooLarge(bytes: Int, limit: Int)
    /// The file has more rows than the limit.
    case tooManyRows(limit: Int)
    /// A cell is longer than the limit, in bytes.
    case cellTooLong(line: Int, limit: Int)
    /// A line is not UTF-8.
    case notUTF8(line: Int)
    /// A quote that opens on the given line is never closed.
    case quoteNotClosed(line: Int)
    /// A cell that does not begin with a quote contains one.
    case strayQuote(line: Int)
    /// The file is an export of Spliit.
    case ofSpliit(line: Int)
    /// No header row was found.
    case noHeader
    /// The file is JSON.
    case isJSON
    /// The file is an SQLite file, like a group's file.
    case isGroupFile
    /// The file has a header and no rows.
    case noRows
    /// A person's column has no name; columns count from 1.
    case unnamedPerson(line: Int, column: Int)
    /// A person's column has a name longer than the limit, in bytes.
    case longName(line: Int, column: Int, limit: Int)
}

extension SplitwiseFileError: CustomStringConvertible {
    /// The problem, its location, the reason, and the remedy.
    package var description: String {
        switch self {
        case .tooLarge(let bytes, let limit):
            "Cannot import the file: it has \(bytes) bytes, the limit is \(limit). Split it by year."
        case .tooManyRows(let limit):
            "Cannot import the file: it has more than \(limit) rows. Split it by year."
        case .cellTooLong(let line, let limit):
            "Cannot import the file: line \(line) has a cell above \(limit) bytes. Shorten it or check its quotes."
        case .notUTF8(let line):
            "Cannot import the file: line \(line) is not UTF-8. Export it again, or save it as UTF-8."
        case .quoteNotClosed(let line):
            "Cannot import the file: the quote opened on line \(line) is never closed. Export it again or close it."
        case .strayQuote(let line):
            "Cannot import the file: line \(line) has a quote inside a cell. Double it and quote the whole cell."
        case .ofSpliit(let line):
            """
            Cannot import the file: line \(line) has the columns of Spliit, whose CSV does not tell of each expense who paid. \
            Enter each balance with "cekikapeye add" instead.
            """
        case .noHeader:
            """
            Cannot import the file: it has no header of date, description, category, cost, currency and people. \
            Choose the file from "Export as spreadsheet" of Splitwise.
            """
        case .isJSON:
            """
            Cannot import the file: it is JSON, and only the CSV of Splitwise can be read. What "cekikapeye export" wrote is a \
            copy for other programs; to use a group elsewhere, copy its .roost file or join it.
            """
        case .isGroupFile:
            """
            Cannot import the file: it is an SQLite file, as that of a group is, and not the CSV of Splitwise. \
            To work with the group in it, name the file with --group.
            """
        case .noRows:
            "Cannot import the file: it has a header and no expenses. Export the group again."
        case .unnamedPerson(let line, let column):
            "Cannot import the file: line \(line) has no name in column \(column). Name the person or remove the column."
        case .longName(let line, let column, let limit):
            "Cannot import the file: line \(line) has a name above \(limit) bytes in column \(column). Shorten it."
        }
    }
}
