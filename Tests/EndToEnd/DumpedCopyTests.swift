import Foundation
import TestProcesses
import Testing

/// Copies of a replica that SQLite's shell makes with `.dump`.
@Suite(.serialized) struct DumpedCopyTests {
    private func names(_ replica: String) throws -> [String] {
        try Programs.sql(replica, "select name from person order by name").lines
    }

    private func load(_ statements: String, as name: String, _ stage: Stage) throws -> String {
        let copy = stage.path(name)
        try Programs.run("sqlite3", [copy], input: statements)
        return copy
    }

    /// A complete dump is a copy like any other.
    @Test func wholeDumpIsAReplica() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        try Programs.sql(first, "insert into person(name) values ('Ana')")
        try Programs.check("roost", "sync", first)
        try Programs.sql(first, "insert into person(name) values ('Bob')")
        let copy = try load(try Programs.sql(first, ".dump").standard, as: "copy.roost", stage)
        // The file alone is data without access.
        #expect(try Programs.run("roost", ["sync", copy]).status == 77)
        try FileManager.default.copyItem(atPath: "\(first)-token", toPath: "\(copy)-token")
        let output = try Programs.check("roost", "sync", copy)
        #expect(output.standard.contains("has a new identity"), "\(output)")
        // Both files have pushed the change that was pending when the copy was made. One of the two changes wins everywhere.
        for replica in [first, copy, first] { try Programs.check("roost", "sync", replica) }
        for replica in [first, copy] { #expect(try names(replica) == ["Ana", "Bob"]) }
        #expect(
            try Programs.check("roost", "digest", copy).standard
                == Programs.check("roost", "digest", copy, "--server").standard)
    }

    /// A file that is no replica is reported as such, with the commands to run next.
    @Test(arguments: ["status", "sync", "check", "repair"])
    func partialDumpSaysWhatToDo(command: String) throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let dump = try Programs.sql(first, ".dump").standard
        let parts = dump.components(separatedBy: "\n").filter { !$0.contains("roost_control") }.joined(separator: "\n")
        let text = stage.path("text.roost")
        try Data(dump.utf8).write(to: URL(filePath: text))
        let files = [
            (try load(parts, as: "part.roost", stage), "VACUUM INTO"),
            (try load(try Programs.sql(first, ".dump person").standard, as: "table.roost", stage), "VACUUM INTO"),
            (try load("create table t(a); drop table t;", as: "empty.roost", stage), "roost init"),
            (text, "sqlite3 NEW.roost"),
            (try load("pragma encoding = 'UTF-16le';\n" + dump, as: "wide.roost", stage), ".dump | sqlite3 NEW.roost"),
        ]
        for (file, cure) in files {
            let output = try Programs.run("roost", [command, file])
            #expect(output.status == 65, "\(output)")
            if command != "repair" || file != text { #expect(output.error.contains(cure), "\(output)") }
        }
    }
}
