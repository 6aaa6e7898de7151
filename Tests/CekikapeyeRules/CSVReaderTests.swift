import Testing

@testable import CekikapeyeRules

struct CSVReaderTests {
    @Test(arguments: [
        ("a,b\nc,d\n", [["a", "b"], ["c", "d"]]), ("a,b\r\nc,d", [["a", "b"], ["c", "d"]]),
        ("\u{FEFF}a\n", [["a"]]), ("a,\n", [["a", ""]]), ("a,", [["a", ""]]), ("", []),
        ("\"a,b\",\"say \"\"hi\"\"\"\n", [["a,b", "say \"hi\""]]), ("\"\"", [[""]]), ("a\n\nb", [["a"], [""], ["b"]]),
        ("\"two\r\nlines\",x", [["two\r\nlines", "x"]]), ("\"a\"\r\nb", [["a"], ["b"]]),
    ])
    func cellsAreRead(text: String, cells: [[String]]) throws {
        #expect(try CSVReader.records(of: Array(text.utf8)).map(\.cells) == cells)
    }

    @Test func linesCountThoseInsideQuotes() throws {
        let records = try CSVReader.records(of: Array("a\n\"b\nc\"\r\nd\n".utf8))
        #expect(records.map(\.line) == [1, 2, 4])
    }

    @Test(arguments: [
        ("a\n\"b\n\n", SplitwiseFileError.quoteNotClosed(line: 2)), ("a\nb\"c", .strayQuote(line: 2)),
        ("\"a\"b", .strayQuote(line: 1)),
    ])
    func brokenQuotesAreRefused(text: String, error: SplitwiseFileError) {
        #expect(throws: error) { try CSVReader.records(of: Array(text.utf8)) }
    }

    @Test func otherEncodingsAreRefused() {
        #expect(throws: SplitwiseFileError.notUTF8(line: 2)) { try CSVReader.records(of: [0x61, 0x0A, 0xE9, 0x0A]) }
    }

    @Test func limitsHold() {
        let cell = [UInt8](repeating: 0x61, count: SplitwiseImporter.cellBytesMax)
        #expect(throws: Never.self) { try CSVReader.records(of: cell) }
        #expect(throws: SplitwiseFileError.cellTooLong(line: 1, limit: 65_536)) {
            try CSVReader.records(of: cell + [0x61])
        }
        let rows = [UInt8](repeating: 0x0A, count: SplitwiseImporter.rowsMax)
        #expect(throws: Never.self) { try CSVReader.records(of: rows) }
        #expect(throws: SplitwiseFileError.tooManyRows(limit: 100_000)) { try CSVReader.records(of: rows + [0x0A]) }
        let bytes = SplitwiseImporter.fileBytesMax + 1
        #expect(throws: SplitwiseFileError.tooLarge(bytes: bytes, limit: bytes - 1)) {
            try SplitwiseImporter.plan(for: [UInt8](repeating: 0x0A, count: bytes))
        }
    }
}
