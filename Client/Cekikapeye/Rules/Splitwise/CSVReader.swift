/// Parses CSV as in RFC 4180: comma or semicolon, double quotes, quotes doubled inside quotes. Lines end in LF, CRLF or CR.
struct CSVReader {
    private enum State { case cellStart, bare, quoted, afterQuote }

    private let bytes: ArraySlice<UInt8>
    private let separator: UInt8
    private var records: [CSVRecord] = []
    private var cells: [String] = []
    private var cell: [UInt8] = []
    private var state = State.cellStart
    private var line = 1
    private var recordLine = 1
    private var quoteLine = 1

    /// Parses all records, including blank ones. A byte order mark is skipped.
    static func records(of bytes: [UInt8]) throws(SplitwiseFileError) -> [CSVRecord] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var reader = CSVReader(bytes: bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...])
        try reader.readAll()
        return reader.records
    }

    private init(bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        separator = Self.separator(of: bytes)
    }

    private mutating func readAll() throws(SplitwiseFileError) {
        var position = bytes.startIndex
        while position < bytes.endIndex {
            let byte = bytes[position]
            position += 1
            guard byte == UInt8(ascii: "\r"), state != .quoted else {
                try read(byte)
                continue
            }
            // A following LF ends the record. A single CR does so too, as in files of old spreadsheets.
            if position == bytes.endIndex || bytes[position] != UInt8(ascii: "\n") { try read(UInt8(ascii: "\n")) }
        }
        guard state != .quoted else { throw .quoteNotClosed(line: quoteLine) }
        // There is no record after a line break at the end of the file.
        if state != .cellStart || !cells.isEmpty { try endRecord() }
    }

    private mutating func read(_ byte: UInt8) throws(SplitwiseFileError) {
        switch (state, byte) {
        case (.quoted, UInt8(ascii: "\"")): state = .afterQuote
        case (.quoted, _):
            if byte == UInt8(ascii: "\n") { line += 1 }
            try append(byte)
        case (_, separator): try endCell()
        case (_, UInt8(ascii: "\n")):
            try endRecord()
            line += 1
            recordLine = line
        case (.afterQuote, UInt8(ascii: "\"")):
            state = .quoted
            try append(byte)
        case (.cellStart, UInt8(ascii: "\"")): (state, quoteLine) = (.quoted, line)
        case (.bare, UInt8(ascii: "\"")), (.afterQuote, _): throw .strayQuote(line: line)
        default:
            state = .bare
            try append(byte)
        }
    }

    /// Determines the separator. Spreadsheets of countries with a decimal comma write semicolons. The first line with at
    /// least five commas or five semicolons decides, not counting quoted ones.
    private static func separator(of bytes: ArraySlice<UInt8>) -> UInt8 {
        var (commas, semicolons, isQuoted) = (0, 0, false)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case _ where isQuoted: continue
            case UInt8(ascii: ","): commas += 1
            case UInt8(ascii: ";"): semicolons += 1
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                // A note before the header has few separators.
                guard max(commas, semicolons) < SplitwiseHeader.leadingColumns else {
                    return semicolons > commas ? UInt8(ascii: ";") : UInt8(ascii: ",")
                }
                (commas, semicolons) = (0, 0)
            default: continue
            }
        }
        return semicolons > commas ? UInt8(ascii: ";") : UInt8(ascii: ",")
    }

    private mutating func append(_ byte: UInt8) throws(SplitwiseFileError) {
        guard cell.count < SplitwiseImporter.cellBytesMax else {
            throw .cellTooLong(line: line, limit: SplitwiseImporter.cellBytesMax)
        }
        cell.append(byte)
    }

    private mutating func endCell() throws(SplitwiseFileError) {
        guard let text = String(validating: cell, as: UTF8.self) else { throw .notUTF8(line: line) }
        cells.append(text)
        cell.removeAll(keepingCapacity: true)
        state = .cellStart
    }

    private mutating func endRecord() throws(SplitwiseFileError) {
        try endCell()
        let record = CSVRecord(line: recordLine, cells: cells)
        cells = []
        guard records.count < SplitwiseImporter.rowsMax else { throw .tooManyRows(limit: SplitwiseImporter.rowsMax) }
        records.append(record)
    }
}
