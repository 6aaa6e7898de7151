package import GRDB
internal import RoostModel
internal import Synchronization

/// Verification of the layout. Other programs may change tables at any time, so every transaction ensures that the tables in
/// the file are those of the cached layout.
extension Replica {
    /// Another program has changed tables, indexes or triggers since the last verification of the layout.
    struct LayoutChanged: Error {}

    /// Verifies the layout if the tables differ from the last verification by any program.
    func verifyLayout() throws {
        let isDue = try engineLook("look at the tables") { database in
            // Read first: tables that another program changes after the comparison have a later schema version.
            let cookie = try Self.cookie(database)
            guard try !LayoutVerification.isDue(database, Layout(schema, database.identifiers)) else { return true }
            // If another program has migrated the file since its schema was read, the tables are not those of this schema.
            try compareVersions(database)
            set(try LayoutVerification.layout(schema, database))
            knownTables.withLock { $0 = cookie }
            return false
        }
        guard isDue else { return }
        // Verification compares rows with pending changes, and only an explicit check of SQLite finds corruption in the outbox
        // and the marks.
        if try !engineLook("check what waits", { try OutboxCheck(database: $0).isWhole() }) { try mendOutbox() }
        try unsettledWrite("verify the tables", isWork: false) { database in
            try compareVersions(database)
            // Another process may have verified the layout meanwhile. The schema version says nothing here: a program that edits
            // `sqlite_schema` itself may leave it as it was.
            guard try LayoutVerification.isDue(database, Layout(schema, database.identifiers)) else { return }
            try verify(database)
        }
    }

    /// Runs `body`, which calls ``checkTables(_:)`` first. If the layout has changed, verifies it and runs `body` again.
    package func verifyingLayout<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch is LayoutChanged {
            // Roost itself may have recreated one of its tables. The connection that did so does not compare the layout with
            // that change.
            try unsettledWrite("verify the tables", isWork: false) { try verifyChangedTables($0) }
            return try body()
        }
    }

    /// Compares the tables with the cached layout. Called in each transaction of the user's connections that reads or writes
    /// the tables of entities.
    ///
    /// - Throws: ``LayoutChanged``, or ``ReplicaError`` if the file was migrated.
    package func checkTables(_ database: Database) throws {
        try database.checkTablesOnce {
            guard try isChanged(database) else { return }
            throw LayoutChanged()
        }
    }

    /// Runs `body`, a transaction of Roost's own that calls its argument first. A changed layout is verified beforehand, in
    /// a separate transaction: after a transaction has changed tables, SQLite ends every statement being read when a
    /// savepoint is rolled back, as happens if a user trigger raises.
    func verifyingTablesBefore<Result>(_ body: ((Database) throws -> Void) throws -> Result) throws -> Result {
        for _ in 0..<Self.verificationsMax {
            do {
                return try body(checkTables)
            } catch is LayoutChanged {
                try unsettledWrite("verify the tables", isWork: false) { try verifyChangedTables($0) }
            }
        }
        // Another program keeps changing the tables.
        return try body(verifyTables)
    }

    private static let verificationsMax = 3

    /// Verifies the layout if it has changed. Called in each transaction of Roost's own that writes.
    func verifyTables(_ database: Database) throws {
        try database.checkTablesOnce { try verifyChangedTables(database) }
    }

    private func verifyChangedTables(_ database: Database) throws {
        if try isChanged(database) { try verify(database) }
    }

    private func verify(_ database: Database) throws {
        // This connection may still have former tables and triggers in memory, which it could neither drop nor create.
        try database.execute(sql: "PRAGMA writable_schema = RESET")
        var verification = try LayoutVerification(database, schema)
        let verified = try verification.run { layout, derive in
            try withUserTriggers(database, of: layout, derive)
        }
        set(verified)
        try report(verification, in: database)
        knownTables.withLock { $0 = try? Self.cookie(database) }
    }

    /// Compares the schema version of the file. Called in each transaction of Roost's own that does not settle the writes of
    /// other programs.
    ///
    /// - Throws: ``ReplicaError`` if another program has migrated the file.
    func checkVersion(of database: Database) throws {
        guard try knownTables.withLock({ $0 }) != Self.cookie(database) else { return }
        try compareVersions(database)
    }

    /// Returns whether any program has created or dropped a table, an index or a trigger since the last verification of the
    /// layout.
    func hasOtherTables(_ database: Database) throws -> Bool {
        try knownTables.withLock { $0 } != Self.cookie(database)
    }

    private static func cookie(_ database: Database) throws -> Int64 {
        // SQLite changes this number with every table, trigger or index that any program creates, and reads it from a cached
        // page.
        try database.query("PRAGMA schema_version").first { $0.integer(0) } ?? 0
    }

    /// Returns whether the layout differs from the last verification.
    ///
    /// - Throws: ``ReplicaError`` if another program has migrated the file.
    private func isChanged(_ database: Database) throws -> Bool {
        let cookie = try Self.cookie(database)
        guard knownTables.withLock({ $0 }) != cookie else { return false }
        try compareVersions(database)
        guard try !LayoutVerification.isDue(database, layout) else { return true }
        // Another program may have verified the new layout already.
        set(try LayoutVerification.layout(schema, database))
        knownTables.withLock { $0 = cookie }
        return false
    }

    private func compareVersions(_ database: Database) throws {
        // The triggers of a newer format may write data that this code cannot interpret.
        try FileFormat.check(database, path, "go on with")
        let version = try StateStore(database: database).integer(.schemaVersion) ?? 1
        guard version == schema.version else {
            throw ReplicaError(
                .schemaChanged,
                "Cannot go on with the replica \"\(path)\": another program has migrated it from version \(schema.version) of its schema to version \(version). Open it again."
            )
        }
    }

    /// Records that local changes may be pending that no program announces, such as content that differed from the server's.
    package func recordFoundChanges() { foundChanges.withLock { $0 = true } }

    /// Returns whether Roost has made local changes of untracked writes since the last call.
    package func consumeFoundChanges() -> Bool {
        foundChanges.withLock { found in
            defer { found = false }
            return found
        }
    }

    private func report(_ verification: LayoutVerification, in database: Database) throws {
        let journal = Journal(database: database, now: now)
        for notice in verification.notices { try journal.event("layout", notice) }
        if !verification.notices.isEmpty {
            recordFoundChanges()
            foundDamage.withLock { found in
                var damage = found ?? OutboxDamage()
                damage.notices += verification.notices
                found = damage
            }
        }
        let state = StateStore(database: database)
        guard verification.isIncomplete, try state.text(.scope) != nil else { return }
        // The pages that a running full resynchronisation has already stored brought no rows to a table that is empty again,
        // so it starts over.
        if let reason = try state.pullingAnew, reason != .damaged {
            try ServerCopy(database: database).start(reason)
            if try state.integer(.damaged) == nil { try state.set(.damaged, .integer(1)) }
        } else {
            try ServerCopy(database: database).start(.damaged)
        }
        try journal.event(PullAnewReason.damaged.event.kind, PullAnewReason.damaged.event.text)
    }
}
