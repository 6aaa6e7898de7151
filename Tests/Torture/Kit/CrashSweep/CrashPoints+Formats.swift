internal import Foundation
internal import TestProcesses
internal import TestSupport

/// Crashes while a file of an earlier format is migrated to the current one.
extension CrashPoints {
    func serverFormatPoint(_ call: Int, _ place: String) throws -> Bool {
        try write(0)
        try torture.syncCleanly(first, at: place)
        acknowledge(0)
        _ = torture.stage.server?.terminate()
        let format = try toFirstFormat(
            torture.serverFile,
            """
            DROP TABLE purged; DROP TABLE log; DROP TABLE outdated;
            CREATE INDEX record_sequence ON record(scope, sequence);
            ALTER TABLE scope DROP COLUMN floor; ALTER TABLE scope DROP COLUMN purged;
            ALTER TABLE scope DROP COLUMN recovering_until; ALTER TABLE scope DROP COLUMN ended_epochs;
            ALTER TABLE replica DROP COLUMN cursor; ALTER TABLE replica DROP COLUMN pulled;
            ALTER TABLE replica DROP COLUMN device; ALTER TABLE replica DROP COLUMN inviter; ALTER TABLE invite DROP COLUMN creator;
            """)
        // The earliest data folders did not have the file.
        try FileManager.default.removeItem(atPath: torture.stage.path("server/token-secret"))
        let isMet = try startUnderFault(call, place)
        try auditLeftServer(at: place)
        try torture.ensureServer()
        try expect(format, of: torture.serverFile, place)
        try torture.syncCleanly(second, at: place)
        try checkAcknowledged(at: place)
        return isMet
    }

    func replicaFormatPoint(_ call: Int, _ place: String) throws -> Bool {
        try write(0)
        // Opening the file folds the marks into the outbox, before the table of marks is removed.
        let opening = try Programs.run("roost", ["status", first])
        guard opening.status == 0 else { throw UnexpectedEnd(program: "roost", output: opening) }
        let triggers = try torture.sql(
            first, "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'roost!_%' ESCAPE '!';"
        ).lines
        let format = try toFirstFormat(
            first,
            triggers.map { "DROP TRIGGER \($0); " }.joined()
                + FormatSix.takenBack + "; " + FormatFive.takenBack
                + "; DROP TABLE roost_mark; ALTER TABLE roost_control RENAME COLUMN clock TO hlc; DROP TABLE roost_journal_day; DROP TABLE roost_pulled; DROP TABLE roost_lost; "
                + "ALTER TABLE roost_push DROP COLUMN continues;")
        try control.arm(call, fault, counting: counted)
        let output = try Programs.run("roost", ["status", first], environment: control.environment)
        let isMet = try disarm()
        check(output, isMet, place)
        try torture.audit(first, at: place)
        try expect(format, of: first, place)
        try torture.syncCleanly(first, at: place)
        acknowledge(0)
        try checkAcknowledged(at: place)
        return isMet
    }

    /// Converts a file to the first format.
    ///
    /// - Parameter statements: Remove the additions of later formats.
    /// - Returns: The file's original format.
    private func toFirstFormat(_ file: String, _ statements: String) throws -> [String] {
        let format = try torture.sql(file, "PRAGMA user_version;").lines
        let output = try torture.sql(file, "BEGIN IMMEDIATE; \(statements) PRAGMA user_version = 1; COMMIT;")
        guard output.status == 0 else { throw UnexpectedEnd(program: "sqlite3", output: output) }
        return format
    }

    private func expect(_ format: [String], of file: String, _ place: String) throws {
        let version = try torture.sql(file, "PRAGMA user_version;").lines
        recorder.expect(version == format, "\(place): the file has the format \(version), expected \(format)")
    }
}
