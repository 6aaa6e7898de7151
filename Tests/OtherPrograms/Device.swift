import Foundation
import TestProcesses
import Testing

/// A replica that other programs write, used alongside Roost's command line.
struct Device: Sendable {
    let path: String

    /// Runs statements with SQLite's shell. It continues after a statement that fails.
    @discardableResult
    func sql(_ statements: String) throws -> Programs.Output {
        try Programs.run("sqlite3", ["-cmd", ".timeout 10000", path], input: statements)
    }

    /// Runs statements with SQLite's shell, all of which must succeed.
    func write(_ statements: String) throws {
        let output = try sql(statements)
        guard output.status == 0, output.error.isEmpty else { throw UnexpectedEnd(program: "sqlite3", output: output) }
    }

    func rows(_ query: String) throws -> [String] {
        let output = try sql(query)
        guard output.error.isEmpty else { throw UnexpectedEnd(program: "sqlite3", output: output) }
        return output.lines
    }

    /// Runs a Python script in which `path` is the replica's path, and `db` an open connection of Python's own `sqlite3`.
    @discardableResult
    func python(_ script: String, _ arguments: String...) throws -> Programs.Output {
        let preamble = """
            import sqlite3, sys
            path = sys.argv[1]
            db = sqlite3.connect(path, timeout=10)

            """
        let output = try Programs.run(Python.interpreter, ["-c", preamble + script, path] + arguments)
        guard output.status == 0 else { throw UnexpectedEnd(program: "python", output: output) }
        return output
    }

    /// Runs `sqlite-utils COMMAND FILE ARGUMENTS…`, which must succeed.
    func sqliteUtils(_ command: String, _ arguments: String...) throws {
        let output = try Programs.run(Python.interpreter, ["-m", "sqlite_utils", command, path] + arguments)
        guard output.status == 0 else { throw UnexpectedEnd(program: "sqlite-utils", output: output) }
    }

    /// Runs `roost COMMAND FILE ARGUMENTS…`, and ends it with status 124 after 20 seconds: no command may hang.
    func roost(_ command: String, _ arguments: String...) throws -> Programs.Output {
        try Programs.run("timeout", ["20", Programs.url("roost").path, command, path] + arguments)
    }

    /// Runs `roost COMMAND FILE ARGUMENTS…`, which must succeed.
    @discardableResult
    func check(_ command: String, _ arguments: String...) throws -> Programs.Output {
        let output = try Programs.run("timeout", ["20", Programs.url("roost").path, command, path] + arguments)
        guard output.status == 0 else {
            throw UnexpectedEnd(program: "roost \(command)", arguments: arguments, output: output)
        }
        return output
    }

    /// The number of pending changes that `roost status` reports.
    func pending() throws -> Int { try status("waiting") }

    func status(_ key: String) throws -> Int {
        let text = try check("status", "--json").standard
        return Int(
            text.firstMatch(of: try Regex("\"\(key)\":([0-9]+)", as: (Substring, Substring).self))?.output.1 ?? "")
            ?? -1
    }

    /// Returns the journal as JSON, one entry per line.
    func journal() throws -> String { try check("journal", "--json").standard }
}

/// The interpreter with the packages of `packages.txt`, which `scripts/setup --tests` installs.
enum Python {
    /// The folder of the interpreter and of the other programs in those packages.
    static let folder = Programs.repository.appending(path: ".build/other-programs/bin").path
    static let interpreter = "\(folder)/python"
}
