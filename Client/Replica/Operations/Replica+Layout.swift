package import GRDB
internal import RoostModel
internal import Synchronization

/// The tables in the file are those of the known layout, in every transaction: other programs may change them at any time.
extension Replica {
    /// Thrown where another program has changed tables, indexes or triggers since the layout was last verified.
    struct LayoutChanged: Error {}

    /// Verifies the layout if anything differs from when it was last verified, by this program or another.
    func verifyLayout() throws {
        let isDue = try engineLook("look at the tables") { try LayoutVerification.isDue($0, Layout(schema)) }
        if isDue {
            // Rows are compared with what waits, and SQLite finds damage of that only when it looks for it.
            if try !engineLook("check what waits", { try OutboxCheck(database: $0).isWhole() }) { try mendOutbox() }
            try unsettledWrite("verify the tables", isWork: false) { try verifyTables($0) }
        } else {
            try engineLook("look at the tables") { database in
                // Migrated by another program since the schema was read, its tables are not those of this schema.
                try compareVersions(database)
                set(try LayoutVerification.layout(schema, database))
                knownTables.withLock { $0 = try? Self.cookie(database) }
            }
        }
    }

    /// Runs `body`, which calls ``checkTables(_:)`` first, again after the layout was verified, if that has changed.
    package func verifyingLayout<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch is LayoutChanged {
            // Roost itself may have made one of its own tables again, which the connection that did so does not look for.
            try unsettledWrite("verify the tables", isWork: false) { try verifyChangedTables($0) }
            return try body()
        }
    }

    /// Called in each transaction of the user's connections that reads or writes the tables of entities.
    ///
    /// - Throws: ``LayoutChanged``, or ``ReplicaError`` where the file was migrated.
    package func checkTables(_ database: Database) throws {
        try database.checkTablesOnce {
            guard try isChanged(database) else { return }
            throw LayoutChanged()
        }
    }

    /// Runs `body`, a transaction of Roost's own that calls what it is given first. Where the layout has changed, it is verified in a
    /// transaction of its own before: in one that has changed tables, SQLite ends every statement that is being read from when a
    /// savepoint is rolled back, as it is where a trigger of the user raises.
    func verifyingTablesBefore<Result>(_ body: ((Database) throws -> Void) throws -> Result) throws -> Result {
        for _ in 0..<Self.verificationsMax {
            do {
                return try body(checkTables)
            } catch is LayoutChanged {
                try unsettledWrite("verify the tables", isWork: false) { try verifyChangedTables($0) }
            }
        }
        // Another program changes them again and again.
        return try body(verifyTables)
    }

    private static let verificationsMax = 3

    /// Called in each transaction of Roost's own that writes: verifies the layout where it has changed.
    func verifyTables(_ database: Database) throws {
        try database.checkTablesOnce { try verifyChangedTables(database) }
    }

    private func verifyChangedTables(_ database: Database) throws {
        guard try isChanged(database) else { return }
        var verification = try LayoutVerification(database, schema)
        let verified = try verification.run { layout, derive in
            try withUserTriggers(database, of: layout, derive)
        }
        set(verified)
        try report(verification, in: database)
        knownTables.withLock { $0 = try? Self.cookie(database) }
    }

    /// Called in each transaction of Roost's own that leaves what other programs wrote as it is.
    ///
    /// - Throws: ``ReplicaError`` where another program has migrated the file.
    func checkVersion(of database: Database) throws {
        guard try knownTables.withLock({ $0 }) != Self.cookie(database) else { return }
        try compareVersions(database)
    }

    /// Whether anybody has made or dropped a table, an index or a trigger since the layout was last verified.
    func hasOtherTables(_ database: Database) throws -> Bool {
        try knownTables.withLock { $0 } != Self.cookie(database)
    }

    private static func cookie(_ database: Database) throws -> Int64 {
        // Changes with every table, trigger or index that anybody makes, and is read off a page that SQLite has at hand.
        try database.query("PRAGMA schema_version").first { $0.integer(0) } ?? 0
    }

    /// Whether the layout differs from when it was last verified.
    ///
    /// - Throws: ``ReplicaError`` where another program has migrated the file.
    private func isChanged(_ database: Database) throws -> Bool {
        let cookie = try Self.cookie(database)
        guard knownTables.withLock({ $0 }) != cookie else { return false }
        try compareVersions(database)
        guard try !LayoutVerification.isDue(database, layout) else { return true }
        // Another program may have verified it.
        set(try LayoutVerification.layout(schema, database))
        knownTables.withLock { $0 = cookie }
        return false
    }

    private func compareVersions(_ database: Database) throws {
        // Its triggers may write what this code does not know of.
        try FileFormat.check(database, path, "go on with")
        let version = try StateStore(database: database).integer(.schemaVersion) ?? 1
        guard version == schema.version else {
            throw ReplicaError(
                .schemaChanged,
                "Cannot go on with the replica \"\(path)\": another program has migrated it from version \(schema.version) of its schema to version \(version). Open it again."
            )
        }
    }

    /// Notes that changes may wait that no program tells of, such as content that differed from the server's.
    package func noteFoundChanges() { foundChanges.withLock { $0 = true } }

    /// Whether Roost has made local changes of what other programs wrote past the triggers, since this was asked last.
    package func takeFoundChanges() -> Bool {
        foundChanges.withLock { found in
            defer { found = false }
            return found
        }
    }

    private func report(_ verification: LayoutVerification, in database: Database) throws {
        let journal = Journal(database: database, now: now)
        for notice in verification.notices { try journal.event("layout", notice) }
        if !verification.notices.isEmpty {
            noteFoundChanges()
            foundDamage.withLock { found in
                var damage = found ?? OutboxDamage()
                damage.notices += verification.notices
                found = damage
            }
        }
        let state = StateStore(database: database)
        guard verification.isIncomplete, try state.text(.scope) != nil else { return }
        // The pages that a pull of everything has taken in already brought no rows to a table that is empty again.
        if let reason = try state.pullingAnew, reason != .damaged {
            try PulledAnew(database: database).start(reason)
            if try state.integer(.damaged) == nil { try state.set(.damaged, .integer(1)) }
        } else {
            try PulledAnew(database: database).start(.damaged)
        }
        try journal.event(PullAnewReason.damaged.event.kind, PullAnewReason.damaged.event.text)
    }
}
