internal import GRDB

/// The columns of a table that SQLite computes from others. Other programs add them, and a rebuilt table gets them again.
///
/// SQLite shows the expression of such a column only in the text of the table, so the definitions are taken from that text.
struct GeneratedColumns {
    private let definitions: [(name: String, sql: String)]

    init(of table: String, _ database: Database) throws {
        let columns = try TableColumn.all(of: table, database).filter(\.isGenerated)
        guard !columns.isEmpty else {
            definitions = []
            return
        }
        let text = try String.fetchOne(
            database, sql: "SELECT sql FROM sqlite_schema WHERE type = 'table' AND lower(name) = ?",
            arguments: [SQLName.folded(table)])
        let found = ColumnDefinitions(of: text ?? "")
        definitions = columns.map { ($0.name, found[$0.name] ?? "") }
    }

    /// Adds the columns that a table does not have. A stored column becomes a virtual one, which is computed at each read with
    /// the same values.
    ///
    /// - Parameter table: Its name, quoted.
    /// - Returns: A sentence for each column that the table refuses.
    /// - Throws: Any other error of SQLite, such as a full disk.
    func add(to table: String, besides there: Set<String> = [], _ database: Database) throws -> [String] {
        try definitions.filter { !there.contains(SQLName.folded($0.name)) }.compactMap { name, sql in
            do {
                try database.executeOne("ALTER TABLE \(table) ADD COLUMN \(sql)")
                return nil
            } catch let error as DatabaseError where [.SQLITE_ERROR, .SQLITE_CONSTRAINT].contains(error.resultCode) {
                let reason = error.message ?? "\(error)"
                return
                    "\(SQLName.quoted(name)), a column that is not Roost's, could not be made again in \(table) (\(reason)): \(sql)"
            }
        }
    }
}

/// The definitions of columns in the text of a CREATE TABLE statement.
private struct ColumnDefinitions {
    private var texts: [String: String] = [:]

    init(of statement: String) {
        let bytes = Array(statement.utf8)
        var (depth, start, place) = (0, 0, 0)
        while place < bytes.count {
            let end = Self.end(ofTokenAt: place, bytes)
            switch bytes[place] {
            case UInt8(ascii: "("):
                depth += 1
                if depth == 1 { start = end }
            case UInt8(ascii: ")"):
                depth -= 1
                if depth == 0 {
                    add(bytes[start..<place])
                    return
                }
            case UInt8(ascii: ",") where depth == 1:
                add(bytes[start..<place])
                start = end
            default: break
            }
            place = end
        }
    }

    subscript(_ column: String) -> String? { texts[SQLName.folded(column)] }

    private mutating func add(_ bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes)
        var tokens: [Range<Int>] = []
        var place = 0
        while place < bytes.count {
            let end = Self.end(ofTokenAt: place, bytes)
            if !Self.isSpace(bytes, place) { tokens.append(place..<end) }
            place = end
        }
        guard let first = tokens.first, let last = tokens.last else { return }
        // ALTER TABLE cannot add a stored column.
        let isStored = Self.text(bytes[last]).utf8.elementsEqual("STORED".utf8) { $0 & 0xDF == $1 }
        let definition = Self.text(bytes[first.lowerBound..<(isStored ? last.lowerBound : last.upperBound)])
        texts[SQLName.folded(Self.name(bytes[first]))] = definition
    }

    /// Returns the end of the token that starts at `place`: a quoted name or text, a comment, a word, or one byte.
    private static func end(ofTokenAt place: Int, _ bytes: [UInt8]) -> Int {
        let next = place + 1 < bytes.count ? bytes[place + 1] : 0
        switch bytes[place] {
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): return end(ofQuoteAt: place, bytes)
        case UInt8(ascii: "["): return (bytes[place...].firstIndex(of: UInt8(ascii: "]")) ?? bytes.count - 1) + 1
        case UInt8(ascii: "-") where next == UInt8(ascii: "-"):
            return bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
            var end = place + 2
            while end + 1 < bytes.count, bytes[end] != UInt8(ascii: "*") || bytes[end + 1] != UInt8(ascii: "/") {
                end += 1
            }
            return min(end + 2, bytes.count)
        case let byte where isOfWord(byte):
            return bytes[place...].firstIndex { !isOfWord($0) } ?? bytes.count
        default: return place + 1
        }
    }

    /// Returns the end of the quoted token that starts at `place`. A doubled quote inside does not end it.
    private static func end(ofQuoteAt place: Int, _ bytes: [UInt8]) -> Int {
        var end = place
        repeat {
            end = (bytes[(end + 1)...].firstIndex(of: bytes[place]) ?? bytes.count - 1) + 1
        } while end < bytes.count && bytes[end] == bytes[place]
        return end
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }

    private static func isSpace(_ bytes: [UInt8], _ place: Int) -> Bool {
        let next = place + 1 < bytes.count ? bytes[place + 1] : 0
        return switch bytes[place] {
        case 0x09...0x0D, 0x20: true
        case UInt8(ascii: "-"): next == UInt8(ascii: "-")
        case UInt8(ascii: "/"): next == UInt8(ascii: "*")
        default: false
        }
    }

    /// Returns a name without its quotes, if it has any.
    private static func name(_ token: ArraySlice<UInt8>) -> String {
        guard let quote = token.first, !isOfWord(quote), token.count >= 2 else { return text(token) }
        var name: [UInt8] = []
        var isDoubled = false
        for byte in token.dropFirst().dropLast() {
            isDoubled = byte == quote && !isDoubled
            if !isDoubled { name.append(byte) }
        }
        return text(name[...])
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
