package import GRDB
package import RoostModel

/// The prepared statements of one connection, looked up by their text in less time than a query of a small table takes.
///
/// GRDB caches statements too, but hashes the whole text for each lookup, which took 8 % of the time of a small change on
/// its way to another device (decision 136). This table hashes a few words of the text and then compares whole texts. Texts
/// from one place in the program are one piece of memory, so that comparing them is cheap.
///
/// The type is unchecked `Sendable` and its table has unchecked exclusivity: see ``ConnectionSlot``.
package final class StatementCache: @unchecked Sendable {
    private static let connectionSlot = ConnectionSlot<StatementCache>()

    private struct Kept {
        let sql: String
        let isASCII: Bool
        let statement: Statement
    }

    /// The texts and their statements, by open addressing: each is at, or a few slots after, the slot of its text's hash.
    /// `nil` for a free slot.
    @exclusivity(unchecked) private var places = [Kept?](repeating: nil, count: 256)
    private var count = 0
    /// The form of the identifiers that statements bind.
    @exclusivity(unchecked) private var identifiers: IdentifierForm

    private init(_ identifiers: IdentifierForm) { self.identifiers = identifiers }

    /// Gives the one connection that is opened with `configuration` a table of statements.
    static func keep(in configuration: inout Configuration) {
        connectionSlot.keep(StatementCache(configuration.identifiers), in: &configuration)
    }

    /// Returns the statement of a text, and prepares it if it is new. For a connection without a table it comes from GRDB.
    ///
    /// - Returns: The statement, and the form in which it binds identifiers.
    package static func statement(
        _ sql: String, on database: Database
    ) throws -> (statement: Statement, identifiers: IdentifierForm) {
        guard let kept = connectionSlot.kept(by: database) else {
            return (try prepared(sql, database), database.configuration.identifiers)
        }
        return (try kept.statement(sql, database), kept.identifiers)
    }

    /// Returns the form in which the statements of a connection bind identifiers.
    package static func identifiers(on database: Database) -> IdentifierForm {
        connectionSlot.kept(by: database)?.identifiers ?? database.configuration.identifiers
    }

    /// Sets the form of identifiers of a connection that was opened before the form was known.
    package static func setIdentifiers(_ identifiers: IdentifierForm, on database: Database) {
        connectionSlot.kept(by: database)?.identifiers = identifiers
    }

    /// Releases all statements. Call it before a connection is closed, which SQLite refuses while there are any.
    static func forget(on database: Database) {
        guard let kept = connectionSlot.kept(by: database) else { return }
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
        // At most half of the slots are taken, so that no entry is far from the slot of its hash.
        if count * 2 >= places.count { grow() }
        insert(Kept(sql: sql, isASCII: sql.isASCII, statement: statement))
        return statement
    }

    /// Whether two texts that are canonically equivalent, as `==` compares them, also have equal bytes.
    private static func isSame(_ kept: Kept, _ sql: String) -> Bool {
        // A text that is equivalent to an ASCII text, but not ASCII itself, has more bytes.
        kept.sql.utf8.count == sql.utf8.count && (kept.isASCII || kept.sql.utf8.elementsEqual(sql.utf8))
    }

    /// Prepares a statement. GRDB looks statements up by `String`, for which é in one scalar equals é in two, so that a
    /// text outside ASCII is prepared without GRDB's cache.
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

    /// Hashes a text from its length, quarter, middle and end: many texts begin alike.
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

extension Configuration {
    /// The form of the identifiers in the file; ``IdentifierForm/bytes`` by default. A connection keeps it in its label, which
    /// GRDB copies to each connection of a configuration.
    package var identifiers: IdentifierForm {
        get { label.flatMap { IdentifierForm(rawValue: $0) } ?? .bytes }
        set { label = newValue.rawValue }
    }
}
