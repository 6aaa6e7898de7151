internal import Replica
internal import RoostModel

/// Operations of another program on the file as a whole, while no other program has it open.
extension Simulation {
    /// Closes all programs of the device, runs the statements on the only connection, and opens the file again.
    func runOffline(_ unit: ForeignUnit, _ device: SimulatedDevice) throws {
        device.disk.die(after: 0)
        device.close()
        underWay[device.index] = nil
        var failed: ForeignConnection.Failure?
        for statement in unit.statements where failed == nil {
            counts.foreign["\(unit.kind).\(statement.name)", default: 0] += 1
            try device.run {
                if statement.name == "dumpAndRestore" {
                    device.disk.mend()
                    try dumpAndRestore(device)
                    // The restored file gets another identity, and never receives pushes of the old one whose reply was lost.
                    mayBeForked(device)
                    checks.wasForked(device.index)
                    return
                }
                do {
                    try ForeignConnection(device.path).execute(statement.sql)
                } catch let failure as ForeignConnection.Failure where device.hasDiskFault {
                    failed = failure
                }
            }
        }
        // The user frees disk space before the file is opened again.
        if device.hasDiskFault { device.disk.mend() }
        do {
            try device.open()
        } catch {
            throw Violation(
                .committedWrite, "replica \(device.index) cannot be opened after \(unit.text): \(error)")
        }
        device.reader.rereadJournal()
        if let failed { throw failed }
    }

    /// Dumps the file as SQL, as the shell's `.dump` does, and makes a new file of that name from the dump.
    private func dumpAndRestore(_ device: SimulatedDevice) throws {
        let dump = try ForeignDump.sql(try ForeignConnection(device.path))
        device.disk.clear()
        device.disk.removeMark(SimulatedDevice.file)
        // Another program may have written values that a CHECK refuses.
        let restored = try ForeignConnection(device.path, creates: true)
        try restored.execute("PRAGMA ignore_check_constraints = ON")
        try restored.execute(dump)
        device.disk.placeMarks(for: SimulatedDevice.file)
        device.disk.sync()
    }
}

/// A dump like the shell's `.dump`.
enum ForeignDump {
    static func sql(_ connection: ForeignConnection) throws -> String {
        var lines = ["PRAGMA foreign_keys=OFF", "BEGIN TRANSACTION"]
        let objects = try connection.rows(
            "SELECT type, name, sql FROM sqlite_schema WHERE sql NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
        )
        for object in objects where object[0].string == "table" {
            lines.append(object[2].string)
            let name = object[1].string
            // Generated columns are not dumped.
            let columns = try connection.rows("SELECT name FROM pragma_table_info('\(name)')").map {
                "\"\($0[0].string)\""
            }
            .joined(separator: ", ")
            for row in try connection.rows("SELECT \(columns) FROM \"\(name)\"") {
                lines.append(
                    "INSERT INTO \"\(name)\"(\(columns)) VALUES (\(row.map(\.literal).joined(separator: ", ")))")
            }
        }
        let sequences = "SELECT name, seq FROM sqlite_sequence"
        for row in (try? connection.rows(sequences)) ?? [] {
            lines.append("DELETE FROM sqlite_sequence WHERE name = \(row[0].literal)")
            lines.append("INSERT INTO sqlite_sequence VALUES (\(row[0].literal), \(row[1].literal))")
        }
        lines += objects.filter { $0[0].string != "table" }.map { $0[2].string }
        return (lines + ["COMMIT"]).joined(separator: ";\n")
    }
}
