internal import CSQLite
internal import Foundation
internal import GRDB
internal import RoostModel
internal import RoostSQLite

/// The user triggers that run for Roost's own writes, so that the full-text indexes and derived tables of other programs stay
/// right.
///
/// Roost's own triggers do nothing meanwhile (`applying`). SQLite's preupdate hook records each write of a user trigger to a
/// synchronised table. The write is reverted after the statement that ran the trigger, before Roost reads or writes anything
/// else. So the row ends as the page or the delete rules demand, and no change becomes pending.
///
/// A trigger that raises, or needs a function that only its program has, is bypassed for the statement.
///
/// Sendable without checks: see `ConnectionSlot`.
final class UserTriggers: @unchecked Sendable {
    /// An error: a trigger has rolled back the whole transaction, which has to run again without such triggers.
    struct TransactionEnded: Error {}

    private static let connectionSlot = ConnectionSlot<UserTriggers>()

    /// A row of a visible table, named by its identifier because SQLite reuses the `rowid` of a deleted row.
    private struct Row: Hashable {
        let table: String
        let id: [UInt8]
    }

    /// The state of a row before a trigger wrote to it.
    private enum Before {
        case nothing
        /// - Parameter number: `rowid`, to which full-text indexes of other programs refer.
        case values([HeldValue], number: Int64)
    }

    /// A visible table.
    private struct Table {
        let entity: EntityID
        /// All columns, in table order.
        let columns: [TableColumn]
        /// The synchronised columns, by their names as SQLite compares them.
        let synchronised: Set<String>
        /// The index of the column `id`.
        let idIndex: Int32
    }

    /// A value as SQLite holds it: text may contain a NUL, or bytes that are not UTF-8.
    final class HeldValue {
        private let value: OpaquePointer?

        init(_ value: OpaquePointer?) { self.value = value.flatMap { sqlite3_value_dup($0) } }
        deinit { sqlite3_value_free(value) }

        func isSame(as other: HeldValue) -> Bool {
            guard let value, let theirs = other.value else { return value == other.value }
            guard sqlite3_value_type(value) == sqlite3_value_type(theirs) else { return false }
            return switch sqlite3_value_type(value) {
            case SQLITE_INTEGER: sqlite3_value_int64(value) == sqlite3_value_int64(theirs)
            case SQLITE_FLOAT: sqlite3_value_double(value) == sqlite3_value_double(theirs)
            default: Self.bytes(value) == Self.bytes(theirs)
            }
        }

        var bytes: [UInt8] { value.map { Self.bytes($0) } ?? [] }

        private static func bytes(_ value: OpaquePointer) -> [UInt8] {
            guard let start = sqlite3_value_blob(value) else { return [] }
            return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
        }

        func bind(_ index: Int32, of query: Query) { query.bind(index, value) }
    }

    private var isRunning = false
    /// The columns that Roost's own statement sets, by their names as SQLite compares them; `nil` where it sets all synchronised
    /// columns.
    private var written: Set<String>?
    /// Whether the connection also runs triggers when this object is not running.
    private var hadTriggers = true
    private var tables: [String: Table] = [:]
    /// The rows that triggers of the current statement have written, in the order of the writes, without rows that Roost has
    /// written since.
    private var effects: (rows: [Row: Before], order: [Row]) = ([:], [])
    private var muted = MutedTriggers()
    private var layout: Layout?
    /// The time of journal entries, in milliseconds since 1970.
    private var now: Int64 = 0
    /// The journal entries of reverted rows, read with the first row that is reverted in a transaction.
    private var reverted: RevertedEntries?
    /// The sentences to report, without repetition.
    private(set) var reports: [String] = []

    /// Attaches a `UserTriggers` to the one connection that is opened with `configuration`.
    static func keep(in configuration: inout Configuration) {
        connectionSlot.keep(UserTriggers(), in: &configuration)
    }

    // MARK: Running

    /// Lets user triggers, if there are any, run for Roost's own writes on a connection from now on.
    ///
    /// End this by ``finish(on:)`` before the transaction commits, or by ``abandon(on:)``.
    ///
    /// - Parameters:
    ///   - now: Milliseconds since 1970, for the journal.
    ///   - mayRollBack: Whether triggers that may roll back the transaction run.
    static func start(
        on database: Database, _ layout: Layout, now: @autoclosure () -> Int64, mayRollBack: Bool = true
    ) throws {
        guard layout.hasUserTriggers, let triggers = connectionSlot.kept(by: database), !triggers.isRunning else {
            return
        }
        try triggers.begin(on: database, layout, now: now())
        if !mayRollBack { try triggers.muted.muteThoseThatRollBack(database) }
        for name in try triggers.muted.muteThoseThatEndOthers(database) {
            triggers.report(bypassed: "The trigger \(SQLName.quoted(name))", "keeps others from running")
        }
    }

    /// Stops running user triggers for Roost's own writes, after reverting what they have written last to synchronised tables.
    ///
    /// - Returns: Sentences about triggers that made forbidden writes, or could not run.
    static func finish(on database: Database) throws -> [String] {
        guard let triggers = connectionSlot.kept(by: database), triggers.isRunning else { return [] }
        try triggers.revert(on: database)
        try triggers.muted.unmuteAll(database)
        try StateStore(database: database).setApplying(0)
        triggers.end(on: database)
        return triggers.reports
    }

    /// Stops running user triggers where the transaction is rolled back. Does nothing after ``finish(on:)``.
    static func abandon(on database: Database) {
        guard let triggers = connectionSlot.kept(by: database), triggers.isRunning else { return }
        triggers.end(on: database)
    }

    /// Runs a statement that writes to a visible table, and bypasses triggers that prevent the write.
    ///
    /// Writes of the triggers to synchronised tables are reverted afterwards.
    ///
    /// - Parameters:
    ///   - column: The column that the statement sets; `nil` where it sets all synchronised columns.
    ///   - isDone: Whether the statement has written what it should.
    static func guarding<Result>(
        _ database: Database, setting column: String? = nil, isDone: (Result) -> Bool = { _ in true },
        _ body: () throws -> Result
    ) throws -> Result {
        guard let triggers = connectionSlot.kept(by: database), triggers.isRunning else { return try body() }
        triggers.written = column.map { [SQLName.folded($0)] }
        defer { triggers.written = nil }
        let result = try triggers.guarding(database, isDone, body)
        triggers.written = nil
        try triggers.revert(on: database)
        return result
    }

    private func begin(on database: Database, _ layout: Layout, now: Int64) throws {
        tables = [:]
        for table in layout.tables {
            let columns = try TableColumn.all(of: table.table, database)
            guard let id = columns.firstIndex(where: { $0.key == "id" }) else { continue }
            tables[table.table] = Table(
                entity: table.entity, columns: columns,
                synchronised: Set((["id"] + table.columns.map(\.name)).map(SQLName.folded)),
                idIndex: Int32(id))
        }
        (effects, reports, muted) = (([:], []), [], MutedTriggers())
        (self.layout, self.now, reverted) = (layout, now, nil)
        try StateStore(database: database).setApplying(TriggerSQL.engineDepth)
        isRunning = true
        guard let handle = database.sqliteConnection else { return }
        hadTriggers = csqlite_has_triggers(handle) != 0
        if !hadTriggers { _ = csqlite_enable_triggers(handle, 1) }
        sqlite3_preupdate_hook(handle, Self.recordWrite, Unmanaged.passUnretained(self).toOpaque())
    }

    private func end(on database: Database) {
        isRunning = false
        (layout, reverted) = (nil, nil)
        guard let handle = database.sqliteConnection else { return }
        sqlite3_preupdate_hook(handle, nil, nil)
        if !hadTriggers { _ = csqlite_enable_triggers(handle, 0) }
    }

    // MARK: Statements

    /// The outcome of a statement that runs triggers.
    private enum Attempt<Result> {
        case done(Result)
        /// - Parameter isBroken: Whether SQLite could not even prepare the statement.
        case failed(reason: String, isBroken: Bool)
    }

    private func guarding<Result>(
        _ database: Database, _ isDone: (Result) -> Bool, _ body: () throws -> Result
    ) throws -> Result {
        let (reason, isBroken): (String, Bool)
        switch try attempt(database, isDone, body) {
        case .done(let result): return result
        case .failed(let why, let never): (reason, isBroken) = (why, never)
        }
        let candidates = try muted.candidates(database)
        // With a single candidate, muting it equals running without triggers.
        for item in candidates where candidates.count > 1 {
            try muted.mute(item, database)
            if case .done(let result) = try attempt(database, isDone, body) {
                try muted.recordFailure(of: item, isBroken: isBroken, database)
                report(bypassed: "The trigger \(SQLName.quoted(item.name))", reason)
                return result
            }
            try muted.unmute(item, database)
        }
        let result = try withoutTriggers(database, body)
        let name = candidates.count == 1 ? "The trigger \(SQLName.quoted(candidates[0].name))" : "A trigger"
        report(bypassed: name, reason)
        return result
    }

    private func attempt<Result>(
        _ database: Database, _ isDone: (Result) -> Bool, _ body: () throws -> Result
    ) throws -> Attempt<Result> {
        try database.keepingChangesInMemory { try attemptInMemory(database, isDone, body) }
    }

    private func attemptInMemory<Result>(
        _ database: Database, _ isDone: (Result) -> Bool, _ body: () throws -> Result
    ) throws -> Attempt<Result> {
        let (effectsBefore, mutedBefore) = (effects, muted)
        try database.execute(sql: "SAVEPOINT roost_user")
        var failure = Attempt<Result>.failed(reason: "it passed over a row", isBroken: false)
        do {
            let result = try database.resettingOnError(body)
            if isDone(result) {
                try database.execute(sql: "RELEASE roost_user")
                return .done(result)
            }
        } catch let error as DatabaseError where Self.isOfTriggers(error) {
            guard database.isInsideTransaction else { throw TransactionEnded() }
            failure = .failed(reason: error.message ?? "it failed", isBroken: error.resultCode == .SQLITE_ERROR)
        }
        try database.execute(sql: "ROLLBACK TO roost_user; RELEASE roost_user")
        // A statement within this one may have muted triggers for good, which the rollback has made again.
        (effects, muted) = (effectsBefore, mutedBefore)
        return failure
    }

    /// Whether an error may come from a trigger. A virtual table that is out of step, such as a full-text index, reports
    /// corruption although the file is intact.
    private static func isOfTriggers(_ error: DatabaseError) -> Bool {
        RowStore.isRefusal(error) || error.extendedResultCode == .SQLITE_CORRUPT_VTAB
    }

    private func withoutTriggers<Result>(_ database: Database, _ body: () throws -> Result) rethrows -> Result {
        guard let handle = database.sqliteConnection else { return try body() }
        _ = csqlite_enable_triggers(handle, 0)
        defer { _ = csqlite_enable_triggers(handle, 1) }
        return try body()
    }

    private func report(bypassed name: String, _ reason: String) {
        report(
            "\(name) of another program was bypassed while Roost wrote what it had pulled or derived: \(reason)."
        )
    }

    private func report(_ sentence: String) {
        if !reports.contains(sentence) { reports.append(sentence) }
    }

    // MARK: Writes of triggers

    private static let recordWrite:
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int64, Int64
        ) -> Void = { context, connection, operation, _, name, old, new in
            guard let context, let connection, let name else { return }
            let triggers = Unmanaged<UserTriggers>.fromOpaque(context).takeUnretainedValue()
            let key = SQLName.folded(String(cString: name))
            guard let table = triggers.tables[key] else { return }
            triggers.note(operation, connection, key, table, number: old)
        }

    private func note(
        _ operation: Int32, _ connection: OpaquePointer, _ name: String, _ table: Table, number: Int64
    ) {
        func row(_ read: Reading) -> Row {
            Row(table: name, id: Self.value(connection, read, table.idIndex).bytes)
        }
        let isOwn = sqlite3_preupdate_depth(connection) == 0
        // Most of Roost's own writes come while no trigger has written anything.
        if isOwn, effects.rows.isEmpty { return }
        let before = operation == SQLITE_INSERT ? nil : row(sqlite3_preupdate_old)
        let after = operation == SQLITE_DELETE ? nil : row(sqlite3_preupdate_new)
        guard isOwn else {
            if let before {
                note(before, .values(Self.values(connection), number: number))
            }
            if let after { note(after, .nothing) }
            return
        }
        guard let written, operation == SQLITE_UPDATE, let before,
            case .values(var values, let number) = effects.rows[before]
        else {
            // Roost's write supersedes earlier writes of triggers to the row.
            for row in [before, after].compactMap(\.self) { effects.rows[row] = nil }
            return
        }
        for (index, column) in table.columns.enumerated() where written.contains(column.key) && index < values.count {
            values[index] = Self.value(connection, sqlite3_preupdate_new, Int32(index))
        }
        effects.rows[before] = .values(values, number: number)
    }

    private func note(_ row: Row, _ before: Before) {
        guard effects.rows[row] == nil else { return }
        effects.rows[row] = before
        effects.order.append(row)
    }

    private typealias Reading = (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Int32

    private static func values(_ connection: OpaquePointer) -> [HeldValue] {
        (0..<sqlite3_preupdate_count(connection)).map { value(connection, sqlite3_preupdate_old, $0) }
    }

    private static func value(_ connection: OpaquePointer, _ read: Reading, _ index: Int32) -> HeldValue {
        var value: OpaquePointer?
        return HeldValue(read(connection, index, &value) == SQLITE_OK ? value : nil)
    }

    /// Reverts the recorded writes of triggers.
    ///
    /// Triggers run for the first pass, so that a full-text index of the reverted rows follows. What they write then is reverted
    /// without triggers.
    private func revert(on database: Database) throws {
        guard !effects.rows.isEmpty else { return }
        let names = Set(effects.rows.keys.map(\.table))
        let restored = try restoreEffects(database) { _ = try self.guarding(database, { $0 }, $0) }
        // The journal does not need the values that triggers write over a restored row: the user has not seen them.
        _ = try restoreEffects(database, journaled: restored) { _ = try self.withoutTriggers(database, $0) }
        effects = ([:], [])
        guard !restored.isEmpty else { return }
        let list = names.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
        report(
            "A trigger of another program wrote into \(list) while Roost wrote what it had pulled or derived; that was reverted."
        )
    }

    /// Restores the rows that triggers have written.
    ///
    /// - Parameters:
    ///   - journaled: Rows whose content is already in the journal.
    ///   - running: Runs a write, which returns whether it has had its effect.
    /// - Returns: The rows that differed from their state before the triggers ran.
    private func restoreEffects(
        _ database: Database, journaled: Set<Row> = [], _ running: (() throws -> Bool) throws -> Void
    ) throws -> Set<Row> {
        let rows = effects.order.reversed().compactMap { row in effects.rows[row].map { (row, $0) } }
        effects = ([:], [])
        var restored: Set<Row> = []
        // Deletions come first: a restored row may need the `rowid` of a deleted one, or its value in a unique column.
        for (row, before) in rows {
            guard case .nothing = before, let table = tables[row.table], try has(row, database) else { continue }
            if !journaled.contains(row) { try journal(row, table, database) }
            try running {
                try self.delete(row, database)
                return try !self.has(row, database)
            }
            restored.insert(row)
        }
        for (row, before) in rows {
            guard case .values(let values, let number) = before, let table = tables[row.table],
                try !holds(row, table, values, database)
            else { continue }
            if !journaled.contains(row) { try journal(row, table, database) }
            try running {
                try self.restore(row, table, values, number, database)
                // A trigger may have skipped the row.
                return try self.holds(row, table, values, database)
            }
            restored.insert(row)
        }
        return restored
    }

    /// Journals the content that a trigger has given to a row. A row is not a record if its identifier is not a ``RecordID``.
    private func journal(_ row: Row, _ table: Table, _ database: Database) throws {
        guard let layout, let id = layout.identifiers.identifier(stored: row.id) else { return }
        let key = RecordKey(entity: table.entity, id: id)
        let isThere = try has(row, database)
        let content = isThere ? try RowStore(database, layout, .unknown).readablePut(of: key) : nil
        // A row that cannot be encoded must not count as a delete.
        guard !isThere || content != nil else { return }
        var entries = try reverted ?? RevertedEntries(database, now: now)
        if try entries.record(content, of: key) { report(RevertedEntries.forgotten) }
        reverted = entries
    }

    private func has(_ row: Row, _ database: Database) throws -> Bool {
        let query = try database.query("SELECT 1 FROM \(SQLName.quoted(row.table)) AS t WHERE t.\"id\" = ?")
        query.bind(1, identifierBytes: row.id)
        return try query.first { _ in true } ?? false
    }

    private func delete(_ row: Row, _ database: Database) throws {
        let query = try database.query("DELETE FROM \(SQLName.quoted(row.table)) AS t WHERE t.\"id\" = ?")
        query.bind(1, identifierBytes: row.id)
        try query.run()
    }

    /// Whether a row holds the given values in all synchronised columns.
    private func holds(_ row: Row, _ table: Table, _ values: [HeldValue], _ database: Database) throws -> Bool {
        let synchronised = zip(table.columns, values).filter { table.synchronised.contains($0.0.key) }
        let isSame = synchronised.map { "t.\(SQLName.quoted($0.0.name)) IS ?" }.joined(separator: " AND ")
        let query = try database.query(
            "SELECT \(isSame) FROM \(SQLName.quoted(row.table)) AS t WHERE t.\"id\" = ?")
        bind(synchronised.map(\.1), row, query)
        return try query.first { $0.integer(0) != 0 } ?? false
    }

    /// Restores a row to its former values. An existing row keeps the values of other programs' columns.
    private func restore(
        _ row: Row, _ table: Table, _ values: [HeldValue], _ number: Int64, _ database: Database
    ) throws {
        let name = SQLName.quoted(row.table)
        let all = zip(table.columns, values).filter { !$0.0.isGenerated }
        let synchronised = all.filter { table.synchronised.contains($0.0.key) }
        let assignments = synchronised.map { "\(SQLName.quoted($0.0.name)) = ?" }.joined(separator: ", ")
        let update = try database.query("UPDATE \(name) AS t SET \(assignments) WHERE t.\"id\" = ?")
        bind(synchronised.map(\.1), row, update)
        try update.run()
        guard try !has(row, database) else { return }
        var columns = all.map { SQLName.quoted($0.0.name) }
        var values = all.map { _ in "?" }
        let last = all.count + 1
        let rowNumber = TableColumn.rowNumber(beside: table.columns)
        if let rowNumber {
            // The row gets its former `rowid`, unless another row has it now.
            columns.append(rowNumber)
            let isTaken = "EXISTS (SELECT 1 FROM \(name) AS t WHERE t.\(rowNumber) = ?\(last))"
            values.append("(SELECT ?\(last) WHERE NOT \(isTaken))")
        }
        let insert = try database.query(
            "INSERT INTO \(name)(\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))")
        for (index, value) in all.map(\.1).enumerated() { value.bind(Int32(index + 1), of: insert) }
        if rowNumber != nil { insert.bind(Int32(last), number) }
        try insert.run()
    }

    /// Binds values, and after them the identifier of a row.
    private func bind(_ values: [HeldValue], _ row: Row, _ query: Query) {
        for (index, value) in values.enumerated() { value.bind(Int32(index + 1), of: query) }
        query.bind(Int32(values.count + 1), identifierBytes: row.id)
    }
}
