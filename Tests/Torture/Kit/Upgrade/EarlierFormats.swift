internal import TestProcesses
internal import TestSupport

/// Replica files of the formats before 5, made from one of format 5 by plain SQL.
///
/// Their tables are those of the earlier formats. Later programs see no difference from files that earlier programs wrote.
enum EarlierFormats {
    static let all = 1...4

    /// Converts a file to `format`. All of its changes have to be settled: formats before 4 have no marks.
    static func takeBack(_ file: String, to format: Int) throws {
        var statements = FormatFive.takenBack + ";\n"
        if format < 4 {
            let triggers = try Programs.sql(
                file, "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'roost!_%' ESCAPE '!'")
            statements += triggers.lines.map { "DROP TRIGGER \"\($0)\";\n" }.joined()
            statements += "DROP TABLE roost_mark; ALTER TABLE roost_control RENAME COLUMN clock TO hlc;\n"
        }
        if format < 3 { statements += "DROP TABLE roost_journal_day;\n" }
        if format < 2 {
            statements +=
                "DROP TABLE roost_pulled; DROP TABLE roost_lost; ALTER TABLE roost_push DROP COLUMN continues;\n"
        }
        let output = try Programs.run(
            "sqlite3", ["-bail", file],
            input: "BEGIN IMMEDIATE;\n\(statements)PRAGMA user_version = \(format);\nCOMMIT;\n")
        guard output.status == 0 else { throw UnexpectedEnd(program: "sqlite3", arguments: [file], output: output) }
    }
}
