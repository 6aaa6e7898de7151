package import GRDB

/// The prepared statements of one connection, found by their text in less time than a look at a small table takes.
///
/// GRDB keeps them too, and hashes the whole text each time one is asked for, which was 8 % of what a small change took on its way
/// to another device (decision 136). Here a few words of the text say where to look, and the texts are compared; those of one
/// place in the program are the same piece of memory.
///
/// Unchecked, both: see ``ConnectionPlace``.
package final class KeptStatements: @unchecked Sendable {
    private static let connectionPlace = ConnectionPlace<KeptStatements>()

    private struct Kept {
        let sql: String
        let isASCII: Bool
        let statement: Statement
    }

    /// A text and its statement, a few places after where the text says; `nil` for none.
    @exclusivity(unchecked) private var places = [Kept?](repeating: nil, count: 256)
    private var count = 0

    /// Gives the one connection that is opened with `configuration` a place for statements.
    static func keep(in configuration: inout Configuration) {
        connectionPlace.keep(KeptStatements(), in: &configuration)
    }

    /// The statement of that text, prepared if it was not yet; where the connection has no place for statements, from GRDB.
    package static func statement(_ sql: String, on database: Database) throws -> Statement {
        guard let kept = connectionPlace.kept(by: database) else { return try prepared(sql, database) }
        return try kept.statement(sql, database)
    }

    /// Lets go of all statements: to be called before a connection is closed, which SQLite refuses while there are any.
    static func forget(on database: Database) {
        guard let kept = connectionPlace.kept(by: database) else { return }
        kept.places = Array(repeating: nil, count: kept.places.count)
        kept.count = 0
    }

    private func statement(_ sql: String, _ database: Database) throws -> Statement {
        var place = Self.place(of: sql)
        while true {
            guard let kept = places[place & (places.count - 1)] else { break }
            if kept.sql == sql, Self.isSame(kept, sql) { return kept.statement }
            place += 1
        }
        let statement = try Self.prepared(sql, database)
        // At most half of the places are taken, so that none is far from its own.
        if count * 2 >= places.count { grow() }
        insert(Kept(sql: sql, isASCII: sql.isASCII, statement: statement))
        return statement
    }

    /// Whether two texts that are canonically equivalent, which is what `==` says of them, have the same bytes too.
    private static func isSame(_ kept: Kept, _ sql: String) -> Bool {
        // What is equivalent to ASCII and is none has more bytes.
        kept.sql.utf8.count == sql.utf8.count && (kept.isASCII || kept.sql.utf8.elementsEqual(sql.utf8))
    }

    /// GRDB looks statements up by `String`, where é in one scalar is é in two: a text with either is prepared by itself.
    private static func prepared(_ sql: String, _ database: Database) throws -> Statement {
        sql.isASCII ? try database.cachedStatement(sql: sql) : try database.makeStatement(sql: sql)
    }

    private func insert(_ kept: Kept) {
        var place = Self.place(of: kept.sql) & (places.count - 1)
        while places[place] != nil { place = (place + 1) & (places.count - 1) }
        places[place] = kept
        count += 1
    }

    private func grow() {
        let all = places.compactMap(\.self)
        places = Array(repeating: nil, count: places.count * 2)
        count = 0
        for kept in all { insert(kept) }
    }

    /// Mixes the length with the text's middle and end: many texts begin alike.
    private static func place(of sql: String) -> Int {
        var sql = sql
        return sql.withUTF8 { text in
            let count = text.count
            guard let start = UnsafeRawPointer(text.baseAddress), count >= 8 else { return count }
            let end = start.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            let middle = start.loadUnaligned(fromByteOffset: (count - 8) / 2, as: UInt64.self)
            let early = start.loadUnaligned(fromByteOffset: (count - 8) / 4, as: UInt64.self)
            // An odd number with its bits well spread: 2⁶⁴ divided by the golden ratio (Knuth, TAOCP 3, 6.4).
            let spread: UInt64 = 0x9E37_79B9_7F4A_7C15
            let mixed = ((end &* spread ^ middle) &* spread ^ early ^ UInt64(count)) &* spread
            return Int(truncatingIfNeeded: mixed >> 40)
        }
    }
}

extension String {
    /// Whether no byte of UTF-8 is above 127.
    fileprivate var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}
