internal import RoostModel
internal import RoostService

/// The entries of the log, and of its table of outdated entries, that a transaction has yet to write.
///
/// A statement of SQLite costs as much as two rows of it, so that one statement writes many rows. Entries are written
/// before the log is read, at the end of each savepoint, and before the end of the transaction.
struct LogEntries {
    /// An entry of either table.
    struct Entry {
        let scope: ScopeKey
        let place: RecordLocations.Place
    }

    /// The number of rows that one statement writes. Remaining rows are written one by one.
    private static let rowsPerStatement = 16
    private static let logSQL = Statements("INSERT INTO log(scope, sequence, row)")
    private static let outdatedSQL = Statements("INSERT INTO outdated(scope, sequence, row)")

    private struct Statements {
        let one, many: String

        init(_ insert: String) {
            one = insert + " VALUES(?, ?, ?)"
            many =
                insert + " VALUES"
                + repeatElement("(?, ?, ?)", count: LogEntries.rowsPerStatement).joined(separator: ", ")
        }
    }

    private var entered: [Entry] = []
    private var outdated: [Entry] = []

    /// Adds an entry to the log.
    mutating func enter(_ entry: Entry) { entered.append(entry) }

    /// Records that an entry of the log is obsolete.
    mutating func outdate(_ entry: Entry) { outdated.append(entry) }

    /// Discards all entries that were added since the last ``write(with:)``.
    mutating func forget() { self = LogEntries() }

    /// Writes all entries, and removes outdated entries from the log if there are many.
    mutating func write(with transaction: SQLiteTransaction) throws {
        guard !entered.isEmpty || !outdated.isEmpty else { return }
        try Self.insert(entered, Self.logSQL, transaction)
        try Self.insert(outdated, Self.outdatedSQL, transaction)
        let isMuch = !outdated.isEmpty && transaction.lastInsertedRow >= SQLiteLayout.outdatedMax
        forget()
        guard isMuch else { return }
        try transaction.run(
            "DELETE FROM log WHERE (scope, sequence, row) IN (SELECT scope, sequence, row FROM outdated)"
        ) {
            _ in
        }
        try transaction.run("DELETE FROM outdated") { _ in }
    }

    private static func insert(_ entries: [Entry], _ sql: Statements, _ transaction: SQLiteTransaction) throws {
        let wholeEnd = entries.count - entries.count % rowsPerStatement
        if wholeEnd > 0 {
            let many = try transaction.statement(sql.many)
            for start in stride(from: 0, to: wholeEnd, by: rowsPerStatement) {
                try insert(entries[start..<start + rowsPerStatement], with: many)
            }
        }
        guard wholeEnd < entries.count else { return }
        let one = try transaction.statement(sql.one)
        for index in wholeEnd..<entries.count { try insert(entries[index...index], with: one) }
    }

    private static func insert(_ entries: ArraySlice<Entry>, with statement: SQLiteStatement) throws {
        var column: Int32 = 0
        for entry in entries {
            statement.bind(column + 1, entry.scope)
            statement.bind(column + 2, entry.place.sequence)
            statement.bind(column + 3, entry.place.row)
            column += 3
        }
        try statement.run()
    }
}
