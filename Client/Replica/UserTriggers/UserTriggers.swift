internal import CSQLite
internal import Foundation
internal import GRDB
internal import RoostModel
internal import RoostSQLite

/// Lets the triggers of other programs run for what Roost writes itself, so that their full-text indexes and derived tables stay right.
///
/// Roost's own triggers do nothing meanwhile (`applying`). A write of another program's trigger into a synchronised table is noticed by
/// SQLite's preupdate hook and reverted: the row ends with what the page or the delete rules say, and nothing waits to be
/// pushed. A trigger that raises, or needs a function that only its program has, is bypassed for that statement.
///
/// Unchecked: see `ConnectionPlace`.
final class UserTriggers: @unchecked Sendable {
    /// Thrown where a trigger has rolled back the whole transaction, which has to run again without triggers.
    struct TransactionEnded: Error {}

    private static let connectionPlace = ConnectionPlace<UserTriggers>()

    /// A row of a visible table, by its number.
    struct Row: Hashable {
        let table: String
        let number: Int64
    }

    /// What a row held before a trigger wrote to it.
    enum Before {
        case nothing
        case values([HeldValue])
    }

    /// A value as SQLite holds it: text may contain a NUL, or bytes that are no UTF-8.
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

        private static func bytes(_ value: OpaquePointer) -> [UInt8] {
            guard let start = sqlite3_value_blob(value) else { return [] }
            return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
        }

        func bind(_ index: Int32, of query: Query) { query.bind(index, value) }
    }

    private var isRunning = false
    /// Whether Roost's own statement leaves columns of its rows as they are.
    private var isPartial = false
    /// Whether the connection runs triggers at other times, too.
    private var hadTriggers = true
    /// The columns of each visible table that are synchronised, all by their names as SQLite compares them.
    private var tables: [String: Set<String>] = [:]
    /// The rows that triggers have written to since the last ``revert(on:)``, unless Roost has written to them later.
    private(set) var effects: [Row: Before] = [:]
    private var order: [Row] = []
    private var muted = MutedTriggers()
    /// What is to be reported, each once.
    private(set) var reports: [String] = []

    /// Gives the one connection that is opened with `configuration` a place for this.
    static func keep(in configuration: inout Configuration) {
        connectionPlace.keep(UserTriggers(), in: &configuration)
    }

    // MARK: Running

    /// From now on, what Roost writes on this connection is seen by the triggers of other programs, where there are any. To be ended by
    /// ``finish(on:)`` before the transaction is committed, or by ``abandon(on:)``.
    ///
    /// - Parameter mayRollBack: Whether triggers that may roll back the transaction run.
    static func start(on database: Database, _ layout: Layout, mayRollBack: Bool = true) throws {
        guard layout.hasUserTriggers, let triggers = connectionPlace.kept(by: database), !triggers.isRunning else {
            return
        }
        try triggers.begin(on: database, layout)
        if !mayRollBack { try triggers.muted.muteThoseThatRollBack(database) }
        for name in try triggers.muted.muteThoseThatEndOthers(database) {
            triggers.report(bypassed: "The trigger \(SQLName.quoted(name))", "keeps others from running")
        }
    }

    /// - Returns: Sentences about triggers that wrote what they must not, or could not run.
    static func finish(on database: Database) throws -> [String] {
        guard let triggers = connectionPlace.kept(by: database), triggers.isRunning else { return [] }
        try triggers.revert(on: database)
        try triggers.muted.unmuteAll(database)
        try StateStore(database: database).setApplying(0)
        triggers.end(on: database)
        return triggers.reports
    }

    /// Ends it where the transaction is rolled back; nothing happens after ``finish(on:)``.
    static func abandon(on database: Database) {
        guard let triggers = connectionPlace.kept(by: database), triggers.isRunning else { return }
        triggers.end(on: database)
    }

    /// Runs a statement that writes to a visible table; without triggers where one of them keeps it from being written.
    ///
    /// - Parameters:
    ///   - isPartial: Whether the statement leaves columns of its rows as they are: what triggers did to those is still to be reverted.
    ///   - isDone: Whether the statement has written what it should have.
    static func guarding<Result>(
        _ database: Database, isPartial: Bool = false, isDone: (Result) -> Bool = { _ in true },
        _ body: () throws -> Result
    ) throws -> Result {
        guard let triggers = connectionPlace.kept(by: database), triggers.isRunning else { return try body() }
        guard isPartial else { return try triggers.guarding(database, isDone, body) }
        try triggers.revert(on: database)
        triggers.isPartial = true
        defer { triggers.isPartial = false }
        return try triggers.guarding(database, isDone, body)
    }

    /// Reverts what triggers have written into synchronised tables so far, before the tables are read.
    static func revert(on database: Database) throws {
        guard let triggers = connectionPlace.kept(by: database), triggers.isRunning else { return }
        try triggers.revert(on: database)
    }

    private func begin(on database: Database, _ layout: Layout) throws {
        tables = Dictionary(
            uniqueKeysWithValues: layout.tables.map { table in
                (table.table, Set((["id"] + table.columns.map(\.name)).map(SQLName.folded)))
            })
        (effects, order, reports, muted) = ([:], [], [], MutedTriggers())
        try StateStore(database: database).setApplying(TriggerSQL.engineDepth)
        isRunning = true
        guard let handle = database.sqliteConnection else { return }
        hadTriggers = csqlite_has_triggers(handle) != 0
        if !hadTriggers { _ = csqlite_enable_triggers(handle, 1) }
        sqlite3_preupdate_hook(handle, Self.noteWrite, Unmanaged.passUnretained(self).toOpaque())
    }

    private func end(on database: Database) {
        isRunning = false
        guard let handle = database.sqliteConnection else { return }
        sqlite3_preupdate_hook(handle, nil, nil)
        if !hadTriggers { _ = csqlite_enable_triggers(handle, 0) }
    }

    // MARK: Statements

    /// How a statement that triggers see has ended.
    private enum Attempt<Result> {
        case done(Result)
        /// - Parameter isBroken: Whether SQLite could not even prepare it.
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
        // Where there is only one, to run without it is to run without triggers.
        for item in candidates where candidates.count > 1 {
            try muted.mute(item, database)
            if case .done(let result) = try attempt(database, isDone, body) {
                try muted.noteFailure(of: item, isBroken: isBroken, database)
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
        return failure
    }

    /// A virtual table that is out of step, such as a full-text index, says that it is damaged; the file is not.
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

    // MARK: What triggers write

    private static let noteWrite:
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int64, Int64
        ) -> Void = { context, connection, operation, _, name, old, new in
            guard let context, let connection, let name else { return }
            let triggers = Unmanaged<UserTriggers>.fromOpaque(context).takeUnretainedValue()
            let table = SQLName.folded(String(cString: name))
            guard triggers.tables[table] != nil else { return }
            triggers.note(operation, connection, table, old, new)
        }

    private func note(_ operation: Int32, _ connection: OpaquePointer, _ table: String, _ old: Int64, _ new: Int64) {
        let row = Row(table: table, number: operation == SQLITE_INSERT ? new : old)
        guard sqlite3_preupdate_depth(connection) > 0 else {
            // Roost's own write: what a trigger did to the row before is past.
            guard isPartial, operation == SQLITE_UPDATE, case .values(var before) = effects[row] else {
                effects[row] = nil
                return
            }
            for (index, old) in Self.values(connection).enumerated() where index < before.count {
                let new = Self.value(connection, sqlite3_preupdate_new, Int32(index))
                if !new.isSame(as: old) { before[index] = new }
            }
            effects[row] = .values(before)
            return
        }
        guard effects[row] == nil else { return }
        effects[row] = operation == SQLITE_INSERT ? .nothing : .values(Self.values(connection))
        order.append(row)
    }

    private static func values(_ connection: OpaquePointer) -> [HeldValue] {
        (0..<sqlite3_preupdate_count(connection)).map { value(connection, sqlite3_preupdate_old, $0) }
    }

    private static func value(
        _ connection: OpaquePointer,
        _ read: (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Int32, _ index: Int32
    ) -> HeldValue {
        var value: OpaquePointer?
        return HeldValue(read(connection, index, &value) == SQLITE_OK ? value : nil)
    }

    /// Triggers run for it at first, so that a full-text index of the rows they have written follows. Those that write again are
    /// reverted without them.
    private func revert(on database: Database) throws {
        guard !effects.isEmpty else { return }
        let names = Set(effects.keys.map(\.table))
        let count = try restoreEffects(database) { try self.guarding(database, { _ in true }, $0) }
        _ = try restoreEffects(database) { try self.withoutTriggers(database, $0) }
        (effects, order) = ([:], [])
        guard count > 0 else { return }
        let list = names.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
        report(
            "A trigger of another program wrote into \(list) while Roost wrote what it had pulled or derived; that was reverted."
        )
    }

    /// - Returns: How many rows were other ones.
    private func restoreEffects(
        _ database: Database, _ running: (() throws -> Bool) throws -> Bool
    ) throws -> Int {
        let rows = order.reversed().compactMap { row in effects[row].map { (row, $0) } }
        (effects, order) = ([:], [])
        return try rows.count { row, before in try running { try restore(row, before, database) } }
    }

    /// - Returns: Whether the row was another one in what is synchronised.
    private func restore(_ row: Row, _ before: Before, _ database: Database) throws -> Bool {
        let name = SQLName.quoted(row.table)
        guard case .values(let values) = before else {
            return try run("DELETE FROM \(name) WHERE rowid = ?", [], row.number, database) > 0
        }
        let all = zip(try TableColumn.all(of: row.table, database), values).filter { !$0.0.isGenerated }
        let own = all.filter { tables[row.table]?.contains($0.0.key) == true }
        func list(_ separator: String, _ form: (String) -> String) -> String {
            own.map { form(SQLName.quoted($0.0.name)) }.joined(separator: separator)
        }
        let look = try database.query("SELECT \(list(" AND ") { "\($0) IS ?" }) FROM \(name) WHERE rowid = ?")
        bind(own.map(\.1), row.number, look)
        let isSame = try look.first { $0.integer(0) != 0 }
        if isSame == true { return false }
        if isSame == false {
            _ = try run(
                "UPDATE \(name) SET \(list(", ") { "\($0) = ?" }) WHERE rowid = ?", own.map(\.1), row.number, database)
        } else {
            let columns = all.map { SQLName.quoted($0.0.name) }.joined(separator: ", ")
            let places = Array(repeating: "?", count: all.count + 1).joined(separator: ", ")
            _ = try run(
                "INSERT INTO \(name)(\(columns), rowid) VALUES (\(places))", all.map(\.1), row.number, database)
        }
        return true
    }

    private func bind(_ values: [HeldValue], _ number: Int64, _ query: Query) {
        for (index, value) in values.enumerated() { value.bind(Int32(index + 1), of: query) }
        query.bind(Int32(values.count + 1), number)
    }

    /// - Returns: How many rows were written.
    private func run(_ sql: String, _ values: [HeldValue], _ number: Int64, _ database: Database) throws -> Int {
        let query = try database.query(sql)
        bind(values, number, query)
        try query.run()
        return query.rowsWritten
    }
}
