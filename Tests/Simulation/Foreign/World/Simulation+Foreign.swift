internal import Replica
internal import RoostModel

/// Work of programs without Roost's code in a device's file.
extension Simulation {
    func tables(of device: SimulatedDevice) -> [ForeignTable] { ForeignTable.all(version: device.schemaVersion) }

    /// Runs operations of one kind by another program.
    func writeForeign(_ device: SimulatedDevice, _ kind: ForeignKind) throws {
        guard device.isOpen, !device.isRetired, device.foreign != nil else { return }
        try look(at: device)
        guard device.isOpen, !device.disk.isDead else { return }
        do {
            try device.run { try runProgram(device, kind) }
        } catch let failure as ForeignConnection.Failure {
            guard device.disk.isDead || device.hasDiskFault else {
                throw Violation(
                    .committedWrite, "replica \(device.index): another program cannot work: \(failure.message)")
            }
            checks.foreign?.mayHaveLost(device.index)
            device.foreign?.isOwnUncertain = true
            noteUntracked(kind, device)
        }
        try wrote(device)
    }

    private func runProgram(_ device: SimulatedDevice, _ kind: ForeignKind) throws {
        let tables = tables(of: device)
        guard var foreign = device.foreign else { return }
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            var connection: ForeignConnection? = try ForeignConnection(device.path)
            guard let image = try connection.map({ try FileImage($0, tables) }) else { return }
            var writer = ForeignWriter(
                random: ForeignRandom(random.next()), image: image, tables: tables, device: foreign, count: writeCount)
            let units = writer.units(kind)
            writeCount = max(writeCount, writer.count)
            foreign = writer.device
            device.foreign = foreign
            for unit in units {
                guard let connection, unit.frame != .offline else {
                    connection = nil
                    try runOffline(unit, device)
                    device.foreign?.own.see(try FileImage(try ForeignConnection(device.path), tables), tables)
                    trace.note("\(clock.now) d\(device.index) \(unit.kind) \(unit.text)")
                    break
                }
                try play(unit, device, connection, tables)
            }
            foreign = device.foreign ?? foreign
        }
    }

    /// Runs a unit, and passes the oracle the tables before and after it.
    private func play(
        _ unit: ForeignUnit, _ device: SimulatedDevice, _ connection: ForeignConnection, _ tables: [ForeignTable]
    ) throws {
        for pragma in unit.before { try connection.execute(pragma) }
        let before = try FileImage(connection, tables)
        let (failures, isCutShort) = try withUnknownEnd(before, unit, device, tables) {
            try run(unit, device, connection)
        }
        if isCutShort { try mendDerived(device, connection, tables.filter { before.tables[$0.entity] != nil }) }
        for pragma in unit.after { try connection.execute(pragma) }
        let after = try FileImage(connection, tables)
        if unit.frame == .alone, failures > 0, let statement = unit.statements.first, statement.clause.leavesNothing,
            device.foreign?.kinds.contains(where: { $0 == .triggers || $0 == .temporary }) != true
        {
            try FailedStatementChecker.check(before, after, device: device.index, statement)
        }
        trace.note("\(clock.now) d\(device.index) \(unit.kind) \(failures) failed: \(unit.text)")
        let mayEvictByRowid = unit.statements.contains(where: \.mayEvictByRowid)
        let deletesFrom = unit.statements.reduce(into: Set<EntityID>()) { $0.formUnion($1.deletesFrom) }
        // If the index is dropped before Roost has seen it, only a comparison finds the rows that it evicted.
        let mayEvictUnseen = tables.contains { deletesFrom.contains($0.entity) && before.hasUnseenIndex($0) }
        noteUntracked(unit.kind, device, mayEvictByRowid || mayEvictUnseen)
        device.foreign?.own.see(after, tables)
        tellForeign(
            device, before, after, deletesFrom: deletesFrom,
            deleted: unit.comeAndGone(after, tables.filter { deletesFrom.contains($0.entity) }), by: unit.text,
            mayBeRefused: unit.kind == .values, mayEvictByRowid: mayEvictByRowid || mayEvictUnseen)
    }

    /// Runs statements of which the commit may have succeeded although the disk then stopped the program. Their rows may be
    /// deleted in that case.
    private func withUnknownEnd<Result>(
        _ before: FileImage, _ unit: ForeignUnit, _ device: SimulatedDevice, _ tables: [ForeignTable],
        _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let failure as ForeignConnection.Failure {
            let named = tables.filter { unit.text.utf8.firstRange(of: $0.name.utf8) != nil }
            mayBeDeleted(named, before, device)
            throw failure
        }
    }

    /// Records that a program on the device may have deleted any row of some tables.
    private func mayBeDeleted(_ tables: [ForeignTable], _ before: FileImage, _ device: SimulatedDevice) {
        for table in tables {
            for id in before.ids(table) {
                checks.foreign?.mayBeDeleted(RecordKey(entity: table.entity, id: id), device.index)
            }
        }
    }

    private func noteUntracked(_ kind: ForeignKind, _ device: SimulatedDevice, _ mayEvict: Bool = false) {
        if kind.breaksLayout { device.foreign?.isLayoutBroken = true }
        // A failing insert runs a TEMP trigger before Roost's, which then cannot track the write.
        guard kind.isUntracked || kind == .temporary || mayEvict else { return }
        device.foreign?.hasUntracked = true
        checks.foreign?.mayBeCompared.insert(device.index)
    }

    /// Rebuilds the user's own derived tables from the existing tables. RAISE(FAIL) in a user trigger keeps the effects of
    /// the statement and stops later triggers, including those of derived tables.
    private func mendDerived(
        _ device: SimulatedDevice, _ connection: ForeignConnection, _ tables: [ForeignTable]
    ) throws {
        guard let own = device.foreign?.own else { return }
        for table in tables {
            if let index = own.fulltext[table.entity] {
                try connection.execute("INSERT INTO \(index)(\(index)) VALUES ('rebuild')")
            }
            if let mirror = own.mirrors[table.entity] {
                try connection.execute("DELETE FROM \(mirror)")
                try connection.execute("INSERT INTO \(mirror) SELECT id, text, number FROM \(table.name)")
            }
        }
    }

    /// Runs the statements.
    ///
    /// - Returns: The number of failed statements, and whether a user trigger cut one short.
    private func run(
        _ unit: ForeignUnit, _ device: SimulatedDevice, _ connection: ForeignConnection
    ) throws -> (failures: Int, isCutShort: Bool) {
        var failures = 0
        var isCutShort = false
        var continues = true
        if unit.frame != .alone { try connection.execute("BEGIN") }
        for statement in unit.statements where continues {
            counts.foreign["\(unit.kind).\(statement.name)", default: 0] += 1
            do {
                if let blob = statement.blob {
                    try connection.writeBlob(blob.table, blob.column, rowid: blob.rowid, blob.bytes, at: blob.offset)
                } else {
                    try connection.execute(statement.sql)
                }
            } catch let failure as ForeignConnection.Failure {
                failures += 1
                isCutShort = isCutShort || failure.message.contains("refused by the user")
                try judge(failure, statement, device)
                counts.foreign["\(unit.kind).failed", default: 0] += 1
                if case .transaction(let continuesAfterError) = unit.frame { continues = continuesAfterError }
                // RAISE(ROLLBACK) and OR ROLLBACK end the transaction.
                if unit.frame != .alone, !connection.isInTransaction { return (failures, isCutShort) }
            }
        }
        if connection.isInTransaction { try connection.execute(continues ? "COMMIT" : "ROLLBACK") }
        return (failures, isCutShort)
    }

    /// Checks that a statement's failure is allowed: a constraint, a trigger that raises, or DDL about an object that does
    /// not exist.
    private func judge(
        _ failure: ForeignConnection.Failure, _ statement: ForeignStatement, _ device: SimulatedDevice
    ) throws {
        if device.disk.isDead || device.hasDiskFault { throw failure }
        // A constraint of one of Roost's own tables must never make another program's statement fail.
        let isOfRoost = failure.isConstraint && failure.message.contains("failed: roost_")
        if failure.isConstraint && !isOfRoost || failure.isOfSchema && statement.mayBeInvalid { return }
        // An expression of the user's own index may refuse malformed text and JSON.
        if failure.isOfSchema, failure.message.contains("malformed JSON") { return }
        if failure.isOfSchema, device.foreign?.isLayoutBroken == true { return }
        if failure.isOfSchema, Self.isOfUsersTriggers(failure.message) { return }
        // Roost's triggers name the user's columns, and SQLite drops no column that a trigger names.
        if failure.isOfSchema, statement.name == "dropColumn", failure.message.contains("error in trigger roost_") {
            return
        }
        throw Violation(
            .committedWrite, "replica \(device.index): \(statement.sql) fails with \(failure.message)")
    }

    private func tellForeign(
        _ device: SimulatedDevice, _ before: FileImage, _ after: FileImage, deletesFrom: Set<EntityID>,
        deleted: Set<RecordKey> = [], by statements: String, mayBeRefused: Bool = false, mayEvictByRowid: Bool = false
    ) {
        let tables = tables(of: device)
        checks.rollback.wroteForeign(device.index) {
            before.present($0)?.columns["text"] == after.present($0)?.columns["text"]
        }
        let reaped = device.foreign?.own.hasReapers == true ? tables : []
        // A row that a trigger deletes and the transaction then writes again exists both before and after.
        mayBeDeleted(reaped, before, device)
        checks.foreign?.committed(
            .init(
                device: device.index, before: before, after: after, tables: tables,
                deletesFrom: deletesFrom.union(reaped.map(\.entity)), deleted: deleted, facts: device.view.facts,
                by: statements, mayBeRefused: mayBeRefused, mayEvictByRowid: mayEvictByRowid))
    }

    // MARK: Other writers of a file with foreign programs

    /// Performs a user's operations, by the library or by plain SQL, in a file that other programs have changed. Their
    /// triggers and indexes take part, so that the oracle reads the result back.
    func writeObserved(_ operations: [Operation], _ device: SimulatedDevice, _ writer: Step.Writer) throws {
        let tables = tables(of: device)
        var outcome = "committed"
        do {
            let before = try device.run { try FileImage(try device.lookingConnection(), tables) }
            do {
                _ = try device.run { try perform(operations, device, writer) }
                counts[.transactions] += 1
            } catch {
                try judge(error, device, writer)
                outcome = "refused: \(error)"
            }
            let after = try device.run { try FileImage(try device.lookingConnection(), tables) }
            let deleted = mayDelete(operations, device, writer).union(
                // While the layout is broken, the view predates the delete by SQL.
                operations.map(\.key).filter {
                    writer != .plainSQL && device.foreign?.isLayoutBroken == true && before[$0] == nil
                })
            for operation in operations where operation == .undelete(operation.key) {
                checks.foreign?.undeleted(operation.key, device.index)
            }
            device.foreign?.own.see(after, tables, of: operations, before, replaces: writer == .plainSQL)
            tellForeign(
                device, before, after, deletesFrom: [], deleted: deleted,
                by: "\(writer): " + operations.map(\.summary).joined(separator: "; "))
        } catch let failure as ForeignConnection.Failure {
            guard device.disk.isDead || device.hasDiskFault else { throw failure }
            outcome = "unknown"
            checks.foreign?.mayHaveLost(device.index)
            for key in mayDelete(operations, device, writer) { checks.foreign?.mayBeDeleted(key, device.index) }
        }
        trace.note(
            "\(clock.now) d\(device.index) \(writer) \(outcome): \(operations.map(\.summary).joined(separator: "; "))")
    }

    /// Returns the records of which operations may send a delete. If SQL has replaced a record since the last settling, an edit of
    /// it by the library keeps the delete below its put, as an undelete does. The put hides the delete everywhere.
    private func mayDelete(
        _ operations: [Operation], _ device: SimulatedDevice, _ writer: Step.Writer
    ) -> Set<RecordKey> {
        let keys = operations.filter { operation in
            operation == .delete(operation.key)
                || writer != .plainSQL && device.view.outbox[operation.key]?.delete != nil
        }.map(\.key)
        return Set(keys)
    }

    /// Returns whether SQLite refuses a statement because of user triggers: they recurse without end, call a function of
    /// another program, or use such a function or a full-text index while `trusted_schema` is off.
    private static func isOfUsersTriggers(_ message: String) -> Bool {
        message.contains("too many levels of trigger recursion") || message.contains("unsafe use of virtual table")
            || message.contains("no such function: \(ForeignConnection.function)")
            || message.contains("unsafe use of \(ForeignConnection.function)")
    }

    private func judge(_ error: any Error, _ device: SimulatedDevice, _ writer: Step.Writer) throws {
        if device.disk.isDead || device.hasDiskFault {
            checks.foreign?.mayHaveLost(device.index)
            return
        }
        let isExpected =
            switch error {
            case let error as ReplicaError: [.denied, .unknown, .invalidValue, .sqlite].contains(error.code)
            case let error as PlainConnection.Failure:
                error.code == 19
                    || error.code == 1
                        && (device.foreign?.isLayoutBroken == true || Self.isOfUsersTriggers(error.message))
            default: false
            }
        if isExpected {
            counts[.denied] += 1
        } else {
            throw Violation(.session, "replica \(device.index) cannot write by \(writer): \(error)")
        }
    }
}

extension ForeignUnit {
    /// Returns the records that the statements name and that do not exist afterwards. They may have been inserted and deleted
    /// in between.
    func comeAndGone(_ after: FileImage, _ tables: [ForeignTable]) -> Set<RecordKey> {
        let ids = text.matches(of: /x'([0-9a-f]{32})'/).compactMap {
            RecordID(bytes: Hex.decode($0.output.1.utf8) ?? [])
        }
        let keys = tables.flatMap { table in ids.map { RecordKey(entity: table.entity, id: $0) } }
        return Set(keys.filter { after[$0] == nil })
    }

    /// The statements on one line.
    var text: String { (before + statements.map { $0.blob.map { "\($0)" } ?? $0.sql }).joined(separator: "; ") }
}
